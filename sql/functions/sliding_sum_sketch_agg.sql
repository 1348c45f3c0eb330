-- Bytes by the time at which they were sent, for any width up to a day. The width is a column.
SELECT width, sliding_sketch_estimate(s, DATE'2026-01-02', width) AS bytes
FROM (SELECT sliding_sum_sketch_agg(sent, bytes, INTERVAL '1' DAY, 0.05) AS s
      FROM VALUES (TIMESTAMP_NTZ'2026-01-01 23:59:00', 1500), (TIMESTAMP_NTZ'2026-01-01 12:30:00', 40), (TIMESTAMP_NTZ'2026-01-01 23:10:00', 600) AS t(sent, bytes))
CROSS JOIN VALUES (INTERVAL '1' MINUTE), (INTERVAL '1' HOUR), (INTERVAL '12' HOUR) AS w(width)
ORDER BY width;

-- Fractions are scaled to integers.
SELECT sliding_sketch_estimate(sliding_sum_sketch_agg(day, CAST(round(100 * price) AS BIGINT), INTERVAL '30' DAY, 0.05), DATE'2026-01-03', INTERVAL '1' DAY) / 100 AS total
FROM VALUES (DATE'2026-01-01', 1.25), (DATE'2026-01-02', 2.5), (DATE'2026-01-03', 0.25) AS t(day, price);
