-- The true value, 9001, is between the bounds, which are close.
SELECT b.lower <= 9001 AND 9001 <= b.upper AS holds, b.upper - b.lower <= 2 * 0.05 * 9001 AS near
FROM (SELECT sliding_sketch_bounds(sliding_count_sketch_agg(id, 50000, 0.05), 29999, 9000) AS b FROM range(0, 30000, 1, 1));
