-- Frames that end before, at and after the current row, and one that is empty at the end.
SELECT i, x, sum(x) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS up_to_here,
       sum(x) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS before,
       sum(x) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS around,
       sum(x) OVER (ORDER BY i ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS after,
       sum(x) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS from_here
FROM VALUES (1, 5), (2, NULL), (3, 7), (4, 2), (5, 1) AS t(i, x) ORDER BY i;
