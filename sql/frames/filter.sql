-- A condition for one function, several functions of one frame, and several frames of one window.
SELECT i, kind, x, count(*) FILTER (WHERE kind = 'sale') OVER last AS sales, sum(x) FILTER (WHERE kind = 'sale') OVER last AS sold,
       max(x) OVER last AS greatest, max(x) OVER (ORDER BY i ROWS 1 PRECEDING) AS greater
FROM VALUES (1, 'sale', 5), (2, 'return', 7), (3, 'sale', 2), (4, 'return', 1), (5, 'return', 3), (6, 'sale', 4) AS t(i, kind, x)
WINDOW last AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;
