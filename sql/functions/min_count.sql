-- The number of days, among the last three, with the lowest temperature.
SELECT day, celsius, min(celsius) OVER w AS coldest, min_count(celsius) OVER w AS days
FROM VALUES (DATE'2026-01-01', 3), (DATE'2026-01-02', -2), (DATE'2026-01-03', -2), (DATE'2026-01-04', NULL) AS t(day, celsius)
WINDOW w AS (ORDER BY day ROWS 2 PRECEDING) ORDER BY day;
