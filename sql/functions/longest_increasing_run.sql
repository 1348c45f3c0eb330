-- Dani and Getta, section 8.2: the longest increasing sequence of a window that slides.
SELECT i, x, r.length, r.first_position, r.last_position, r.start_value, r.end_value
FROM (SELECT i, x, longest_increasing_run(x) OVER (ORDER BY i ROWS 4 PRECEDING) AS r
      FROM VALUES (1, 3), (2, 7), (3, 9), (4, 2), (5, 4), (6, 4), (7, 6), (8, NULL), (9, 8) AS t(i, x))
ORDER BY i;
