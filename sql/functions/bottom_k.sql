-- The two best lap times of the last three laps.
SELECT lap, bottom_k(seconds, 2) OVER (ORDER BY lap ROWS 2 PRECEDING) AS best
FROM VALUES (1, 61.20), (2, 60.95), (3, 62.01), (4, 61.00) AS t(lap, seconds) ORDER BY lap;
