-- One sketch for each hour, merged over the last four hours, and queried for any width.
SELECT hour, sliding_sketch_estimate(sliding_sketch_union_agg(s) OVER (ORDER BY hour ROWS 3 PRECEDING), 60 * hour + 59, 90) AS last_90_minutes
FROM (SELECT minute DIV 60 AS hour, sliding_count_sketch_agg(minute, 180, 0.05) AS s
      FROM VALUES (5), (50), (70), (100), (119), (130), (170) AS t(minute) GROUP BY hour)
ORDER BY hour;
