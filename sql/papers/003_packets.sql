-- Busch and Tirthapura: packets reach the collector after different delays, so not in the order in which they were sent. A sketch
-- estimates the bytes sent in the last seconds, for any number of seconds up to an hour, within 5 %.
CREATE OR REPLACE TEMPORARY VIEW packets AS
SELECT id AS i, TIMESTAMP_NTZ'2026-01-01 00:00:00' + make_dt_interval(0, 0, 0, CAST(id DIV 4 - pmod(xxhash64(id), 600) AS DECIMAL(18, 6))) AS sent,
       40 + pmod(xxhash64(id, 'size'), 1461) AS bytes, pmod(xxhash64(id, 'host'), 2) AS host
FROM range(0, 20000, 1, 4);
CREATE OR REPLACE TEMPORARY VIEW widths AS SELECT * FROM VALUES (INTERVAL '10' SECOND), (INTERVAL '5' MINUTE), (INTERVAL '1' HOUR) AS w(width);
CREATE OR REPLACE TEMPORARY VIEW truth AS
SELECT host, width, count(*) AS packets, sum(bytes) AS bytes
FROM (SELECT *, max(sent) OVER (PARTITION BY host) AS newest FROM packets) CROSS JOIN widths
WHERE sent >= newest - width GROUP BY host, width;

-- The fraction of packets that were sent before a packet that had already arrived.
SELECT round(avg(if(sent < newest, 1, 0)), 1) AS late
FROM (SELECT sent, max(sent) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newest FROM packets);

-- One sketch of each kind for each host; queries choose the width.
SELECT truth.host, truth.width, abs(sliding_sketch_estimate(counted, newest, truth.width) / truth.packets - 1) <= 0.05 AS packets_hold,
       abs(sliding_sketch_estimate(summed, newest, truth.width) / truth.bytes - 1) <= 0.05 AS bytes_hold,
       truth.bytes BETWEEN sliding_sketch_bounds(summed, newest, truth.width).lower AND sliding_sketch_bounds(summed, newest, truth.width).upper AS within_bounds
FROM (SELECT host, max(sent) AS newest, sliding_count_sketch_agg(sent, INTERVAL '1' HOUR, 0.05) AS counted,
             sliding_sum_sketch_agg(sent, bytes, INTERVAL '1' HOUR, 0.05) AS summed
      FROM packets GROUP BY host) AS sketches
JOIN truth ON truth.host = sketches.host ORDER BY truth.host, truth.width;

-- The sketch takes less than a tenth of the packets' timestamps and sizes, of 8 bytes each.
SELECT host, length(sliding_sum_sketch_agg(sent, bytes, INTERVAL '1' HOUR, 0.05)) < 16 * count(*) / 10 AS less_than_a_tenth
FROM packets GROUP BY host ORDER BY host;

-- Merging the sketches of hosts or collectors adds no error.
SELECT abs(sliding_sketch_estimate(sliding_sketch_union_agg(summed), max(newest), INTERVAL '5' MINUTE) / max(bytes) - 1) <= 0.05 AS holds
FROM (SELECT host, max(sent) AS newest, sliding_sum_sketch_agg(sent, bytes, INTERVAL '1' HOUR, 0.05) AS summed FROM packets GROUP BY host)
CROSS JOIN (SELECT sum(bytes) AS bytes FROM packets WHERE sent >= (SELECT max(sent) FROM packets) - INTERVAL '5' MINUTE);
