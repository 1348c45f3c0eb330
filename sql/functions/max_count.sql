-- The worked trace of Tangwongsan, Hirzel and Schneider, section 2.3: the window 4, 5, 3, 4, 0, 4, 4 loses its two oldest
-- elements, then 2 and 6 enter. Each frame is given by its first and last position.
CREATE OR REPLACE TEMPORARY VIEW trace AS SELECT * FROM VALUES (1, 4), (2, 5), (3, 3), (4, 4), (5, 0), (6, 4), (7, 4), (8, 2), (9, 6) AS t(i, x);

SELECT 'first seven' AS contents, max(x) AS max, max_count(x) AS maxcount FROM trace WHERE i BETWEEN 1 AND 7
UNION ALL SELECT 'without 4', max(x), max_count(x) FROM trace WHERE i BETWEEN 2 AND 7
UNION ALL SELECT 'without 5', max(x), max_count(x) FROM trace WHERE i BETWEEN 3 AND 7
UNION ALL SELECT 'with 2', max(x), max_count(x) FROM trace WHERE i BETWEEN 3 AND 8
UNION ALL SELECT 'with 6', max(x), max_count(x) FROM trace WHERE i BETWEEN 3 AND 9;

-- The same elements as a frame that slides.
SELECT i, x, max(x) OVER w AS max, max_count(x) OVER w AS maxcount
FROM trace WINDOW w AS (ORDER BY i ROWS 4 PRECEDING) ORDER BY i;
