-- Busch and Tirthapura: packets that come out of order, counted by the time at which they were sent.
SELECT host, sliding_sketch_estimate(sliding_count_sketch_agg(sent, INTERVAL '1' HOUR, 0.05), TIMESTAMP_NTZ'2026-01-01 10:05:00', INTERVAL '5' MINUTE) AS last_5_minutes
FROM VALUES ('a', TIMESTAMP_NTZ'2026-01-01 10:04:59'), ('a', TIMESTAMP_NTZ'2026-01-01 09:59:00'), ('a', TIMESTAMP_NTZ'2026-01-01 10:01:00'), ('b', TIMESTAMP_NTZ'2026-01-01 10:03:00') AS t(host, sent)
GROUP BY host ORDER BY host;

-- Over a frame: of the last four rows, the number with times in the last 10 units.
SELECT i, sliding_sketch_estimate(sliding_count_sketch_agg(ts, 100, 0.05) OVER (ORDER BY i ROWS 3 PRECEDING), 50, 10) AS n
FROM VALUES (1, 45), (2, 30), (3, 50), (4, NULL), (5, 41) AS t(i, ts) ORDER BY i;
