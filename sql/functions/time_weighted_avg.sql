-- A sensor reports only changes: the mean over the last hour, weighted by time.
SELECT at, celsius, time_weighted_avg(at, celsius) OVER w AS step, round(time_weighted_avg(at, celsius, 'linear') OVER w, 4) AS line, round(avg(celsius) OVER w, 4) AS of_rows
FROM VALUES (TIMESTAMP'2026-01-01 10:00', 20), (TIMESTAMP'2026-01-01 10:50', 30), (TIMESTAMP'2026-01-01 10:55', 20), (TIMESTAMP'2026-01-01 12:00', 10) AS t(at, celsius)
WINDOW w AS (ORDER BY at RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW) ORDER BY at;
