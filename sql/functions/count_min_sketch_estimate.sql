-- An estimate of how often each page occurs among the last three requests.
SELECT i, page, count_min_sketch_estimate(s, page) AS times
FROM (SELECT i, page, count_min_sketch(page, 0.01d, 0.99d, 7) OVER (ORDER BY i ROWS 2 PRECEDING) AS s
      FROM VALUES (1, '/'), (2, '/a'), (3, '/'), (4, '/'), (5, '/b') AS t(i, page))
ORDER BY i;
