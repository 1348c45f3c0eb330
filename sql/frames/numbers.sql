-- Infinities, NaN and huge values have no effect on later frames.
SELECT i, x, sum(x) OVER w AS sum, avg(x) OVER w AS mean, max(x) OVER w AS greatest, min(x) OVER w AS least,
       round(stddev(x) OVER w, 6) AS deviation, count(x) OVER w AS values
FROM VALUES (1, 1D), (2, double('Infinity')), (3, 2D), (4, double('NaN')), (5, 3D), (6, 1e300D), (7, NULL), (8, 4D), (9, 5D) AS t(i, x)
WINDOW w AS (PARTITION BY i < 0 ORDER BY i ROWS 1 PRECEDING) ORDER BY i;

-- Decimals are exact.
SELECT i, sum(x) OVER w AS sum, avg(x) OVER w AS mean
FROM VALUES (1, 0.1BD), (2, 0.2BD), (3, 12345678901234567890.3BD), (4, 0.4BD) AS t(i, x) WINDOW w AS (ORDER BY i ROWS 1 PRECEDING) ORDER BY i;
