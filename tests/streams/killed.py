"""The stream and the queries of the tests of kills."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from streams.query import HDFS, ROCKSDB

BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
SCHEMA = "id BIGINT, ts TIMESTAMP, k STRING, n BIGINT"
ARROW = pa.schema([("id", pa.int64()), ("ts", pa.timestamp("us", tz="UTC")), ("k", pa.string()), ("n", pa.int64())])

MOVING = """
SELECT id, k, sum(n) OVER w AS moving, count(*) OVER w AS size, max(n) OVER minute AS most,
       collect_list(id) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS ids,
       row_number() OVER (PARTITION BY k ORDER BY ts) AS place
FROM events
WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 40 PRECEDING AND CURRENT ROW),
       minute AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW)"""
AHEAD = """
SELECT id, sum(n) OVER (ORDER BY ts RANGE BETWEEN INTERVAL 9 SECONDS PRECEDING AND INTERVAL 3 SECONDS FOLLOWING) AS s,
       lag(id) OVER (ORDER BY ts) AS before
FROM events"""

HOPPING = """
SELECT window.start AS start, coalesce(k, '-') AS key, sum(n) AS s, sort_array(collect_list(id)) AS ids
FROM events GROUP BY k, window(ts, '1 minute', '7 seconds')"""

# Over a frame of rows, one of time, and one that only grows. Spark alone refuses DISTINCT and median over them.
_VALUES = """
SELECT id, {few} AS few, {middle} AS middle, mode(n % 7, true) OVER w AS often,
       {lately} AS lately, {so_far} AS so_far
FROM events
WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 40 PRECEDING AND CURRENT ROW),
       minute AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW),
       growing AS (PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"""
VALUES = _VALUES.format(
    few="count(DISTINCT n % 20) OVER w",
    middle="median(n) OVER w",
    lately="count(DISTINCT n % 50) OVER minute",
    so_far="count(DISTINCT n) OVER growing",
)

# The SQL, the state store, and how many partitions of state.
QUERIES = {
    "rocksdb": (MOVING, "rocksdb", 2),
    "hdfs": (MOVING, "hdfs", 1),
    "ahead": (AHEAD, "rocksdb", 1),
    "values": (VALUES, "rocksdb", 2),
    "hopping-rocksdb": (HOPPING, "rocksdb", 2),
    "hopping-hdfs": (HOPPING, "hdfs", 1),
}
# What Spark alone is asked instead.
FOR_SPARK = {
    VALUES: _VALUES.format(
        few="size(collect_set(n % 20) OVER w)",
        middle="percentile(n, 0.5) OVER w",
        lately="size(collect_set(n % 50) OVER minute)",
        so_far="size(collect_set(n) OVER growing)",
    )
}


def provider(store: str) -> str:
    return {"rocksdb": ROCKSDB, "hdfs": HDFS}[store]


def batches(seed: int, count: int, rows: int) -> list[list[dict[str, Any]]]:
    """Rows out of order by less than the watermark's delay, so that none is late; the last one lets all others out."""
    rng = random.Random(seed)
    made = [
        {
            "id": i,
            "ts": BEGIN + timedelta(seconds=i / 4 + rng.uniform(-4, 4), microseconds=i),
            "k": rng.choice(["a", "b", "c", "d", None]),
            "n": rng.randrange(1000),
        }
        for i in range(count * rows)
    ]
    return [made[i : i + rows] for i in range(0, len(made), rows)] + [end(1)]


def end(number: int) -> list[dict[str, Any]]:
    """A batch of one row that is later than all before it, and lets them out."""
    return [{"id": -number, "ts": BEGIN + timedelta(days=9 * number), "k": "end", "n": 0}]
