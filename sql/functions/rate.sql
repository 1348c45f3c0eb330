-- Requests per second over the last minute. The counter is reset at 10:01:30.
SELECT at, requests, round(rate(at, requests) OVER w, 4) AS per_second
FROM VALUES (TIMESTAMP'2026-01-01 10:00:00', 100), (TIMESTAMP'2026-01-01 10:00:30', 160), (TIMESTAMP'2026-01-01 10:01:00', 220), (TIMESTAMP'2026-01-01 10:01:30', 30) AS t(at, requests)
WINDOW w AS (ORDER BY at RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW) ORDER BY at;
