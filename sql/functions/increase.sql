-- Kilowatt hours used in the last three readings; the meter was changed before the fourth.
SELECT day, meter, increase(day, meter) OVER (ORDER BY day ROWS 2 PRECEDING) AS used
FROM VALUES (DATE'2026-01-01', 100.5), (DATE'2026-01-02', 103.0), (DATE'2026-01-03', NULL), (DATE'2026-01-04', 1.5), (DATE'2026-01-05', 4.0) AS t(day, meter) ORDER BY day;
