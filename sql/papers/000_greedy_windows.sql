-- Basin, Klaedtke and Zalinescu: the windows (1,3), (1,4), (2,4) over 2, 4, 5, 2, whose sums are 11, 13 and 11. Concatenated as
-- text they show that the order is kept.
CREATE OR REPLACE TEMPORARY VIEW readings AS SELECT * FROM VALUES (1, 2), (2, 4), (3, 5), (4, 2) AS t(i, x);

SELECT 'from 1 to 3' AS window, sum(x) AS sum, listagg(string(x)) WITHIN GROUP (ORDER BY i) AS read FROM readings WHERE i BETWEEN 1 AND 3
UNION ALL SELECT 'from 1 to 4', sum(x), listagg(string(x)) WITHIN GROUP (ORDER BY i) FROM readings WHERE i BETWEEN 1 AND 4
UNION ALL SELECT 'from 2 to 4', sum(x), listagg(string(x)) WITHIN GROUP (ORDER BY i) FROM readings WHERE i BETWEEN 2 AND 4;

-- The same windows as frames: those of the third and fourth row.
SELECT i, sum(x) OVER three AS sum_of_three, sum(x) OVER four AS sum_of_four,
       listagg(string(x)) OVER three AS three, listagg(string(x)) OVER four AS four
FROM readings
WINDOW three AS (ORDER BY i ROWS 2 PRECEDING), four AS (ORDER BY i ROWS 3 PRECEDING) ORDER BY i;

-- Windows whose ends jump, as in a log of events: the last ten seconds.
SELECT t, x, sum(x) OVER lately AS sum, count(*) OVER lately AS events, listagg(string(x)) OVER lately AS read
FROM VALUES (0, 1), (1, 2), (9, 3), (10, 4), (11, 5), (40, 6), (49, 7), (51, 8) AS t(t, x)
WINDOW lately AS (ORDER BY t RANGE BETWEEN 10 PRECEDING AND CURRENT ROW) ORDER BY t;
