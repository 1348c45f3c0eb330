-- A line chart 2 pixels wide: the four points of each pixel column that determine the line.
SELECT pixel, p.first, p.last, p.lowest, p.highest
FROM (SELECT pixel, m4(t, v) AS p
      FROM (SELECT t, v, floor(t / 5) AS pixel FROM VALUES (0, 3), (1, 8), (2, 1), (3, 4), (5, 4), (6, 2), (8, 9), (9, 5) AS t(t, v))
      GROUP BY pixel)
ORDER BY pixel;

-- Over a frame.
SELECT t, m4(t, v) OVER (ORDER BY t RANGE 2 PRECEDING) AS points
FROM VALUES (0, 3), (1, 8), (3, 1) AS t(t, v) ORDER BY t;
