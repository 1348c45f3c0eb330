-- One sketch for each day, and the merged sketch of the last two days.
SELECT day, count_min_sketch_estimate(count_min_sketch_merge_agg(s) OVER (ORDER BY day ROWS 1 PRECEDING), 'a') AS times
FROM (SELECT day, count_min_sketch(x, 0.01d, 0.99d, 7) AS s FROM VALUES (1, 'a'), (1, 'b'), (2, 'a'), (3, 'c') AS t(day, x) GROUP BY day)
ORDER BY day;
