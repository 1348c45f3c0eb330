-- Kilowatt hours between the last three readings. The meter was replaced before the fourth reading.
SELECT day, meter, increase(day, meter) OVER (ORDER BY day ROWS 2 PRECEDING) AS used
FROM VALUES (DATE'2026-01-01', 100.5), (DATE'2026-01-02', 103.0), (DATE'2026-01-03', NULL), (DATE'2026-01-04', 1.5), (DATE'2026-01-05', 4.0) AS t(day, meter) ORDER BY day;
