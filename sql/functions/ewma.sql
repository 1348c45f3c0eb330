-- The weighted mean of the last four values, each with half the weight of the next; and the recursion that starts with the oldest.
SELECT i, x, round(ewma(x, 0.5) OVER w, 4) AS mean, ewma(x, 0.5, false) OVER w AS recursive
FROM VALUES (1, 10), (2, 20), (3, NULL), (4, 40), (5, 0) AS t(i, x)
WINDOW w AS (ORDER BY i ROWS 3 PRECEDING) ORDER BY i;
