-- Ben Basat and others, Algorithm 1: a count over the last 10000 rows with an error of at most 1 % of the rows. No row is buffered.
SELECT max(abs(about - truth)) <= 100 AS holds
FROM (SELECT approx_count_if(id % 3 = 0, 0.01) OVER w AS about, count_if(id % 3 = 0) OVER w AS truth
      FROM range(0, 30000, 1, 1) WINDOW w AS (ORDER BY id ROWS BETWEEN 9999 PRECEDING AND CURRENT ROW));

-- Over few rows the result is exact.
SELECT i, approx_count_if(x > 1, 0.01) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS n
FROM VALUES (1, 5), (2, NULL), (3, 7), (4, 0), (5, 3) AS t(i, x) ORDER BY i;

-- In GROUP BY the result is exact.
SELECT g, approx_count_if(x > 1, 0.5) AS n FROM VALUES ('a', 5), ('a', 1), ('a', 7), ('b', 0) AS t(g, x) GROUP BY g ORDER BY g;
