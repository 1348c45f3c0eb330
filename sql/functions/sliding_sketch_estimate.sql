-- Estimates for several widths, up to the sketch's max_width.
SELECT width, sliding_sketch_estimate(s, 100, width) AS n
FROM (SELECT sliding_count_sketch_agg(id, 1000, 0.1) AS s FROM range(0, 101, 10, 1)) CROSS JOIN VALUES (0), (25), (100) AS w(width)
ORDER BY width;
