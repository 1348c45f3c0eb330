-- Ben Basat and others, Algorithm 2: the mean of the last 10000 prices of at most 5000, with an error of at most 1 % of 5000.
SELECT max(abs(about - truth)) <= 50 AS holds
FROM (SELECT approx_sum(id % 5001, 5000, 0.01) OVER w / 10000 AS about, sum(id % 5001) OVER w / 10000 AS truth
      FROM range(0, 30000, 1, 1) WINDOW w AS (ORDER BY id ROWS BETWEEN 9999 PRECEDING AND CURRENT ROW));

-- Over few rows the result is exact.
SELECT i, approx_sum(x, 10, 0.01) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS s
FROM VALUES (1, 5), (2, NULL), (3, 7), (4, 0), (5, 3) AS t(i, x) ORDER BY i;

-- In GROUP BY the result is exact.
SELECT g, approx_sum(x, 10, 0.5) AS s FROM VALUES ('a', 5), ('a', 1), ('b', NULL) AS t(g, x) GROUP BY g ORDER BY g;
