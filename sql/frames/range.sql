-- Distances in the order key: rows that tie have the same frame, and nulls have one of their own.
SELECT k, x, count(*) OVER near AS rows_near, sum(x) OVER near AS sum
FROM VALUES (1, 10), (2, 20), (2, 30), (4, 40), (NULL, 50), (NULL, 60), (9, 70) AS t(k, x)
WINDOW near AS (ORDER BY k RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) ORDER BY k, x;

-- An hour, by the clock.
SELECT at, x, round(avg(x) OVER (PARTITION BY sensor ORDER BY at RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW), 2) AS hourly
FROM VALUES ('a', timestamp_ntz'2026-03-08 00:30:00', 1.0D), ('a', timestamp_ntz'2026-03-08 01:15:00', 2.0D),
            ('a', timestamp_ntz'2026-03-08 01:30:00', 4.0D), ('a', timestamp_ntz'2026-03-08 03:00:00', 8.0D),
            ('b', timestamp_ntz'2026-03-08 01:00:00', 16.0D) AS t(sensor, at, x) ORDER BY sensor, at;

-- A month, whose length varies.
SELECT day, count(*) OVER (ORDER BY day RANGE BETWEEN INTERVAL 1 MONTH PRECEDING AND CURRENT ROW) AS rows_of_a_month
FROM VALUES (date'2026-01-31'), (date'2026-02-27'), (date'2026-02-28'), (date'2026-03-28'), (date'2026-03-30') AS t(day) ORDER BY day;
