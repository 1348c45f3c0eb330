"""The query of the stored checkpoints, and its rows; they must not change while a checkpoint is kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

from streams.feed import Feed, Row
from streams.query import HDFS, ROCKSDB

STORES = {"rocksdb": ROCKSDB, "hdfs": HDFS}
SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
SCHEMA = "id BIGINT, ts TIMESTAMP, k STRING, n BIGINT, d DECIMAL(30,4)"
ARROW = pa.schema(
    [
        ("id", pa.int64()),
        ("ts", pa.timestamp("us", tz="UTC")),
        ("k", pa.string()),
        ("n", pa.int64()),
        ("d", pa.decimal128(30, 4)),
    ]
)

# Each kind of frame, and states of each kind: of fixed width, wide decimals, objects.
SQL = """
SELECT id, sum(n) OVER r AS s, sum(d) OVER r AS wide, collect_list(id) OVER few AS ids,
       max_by(id, n) OVER minute AS most, percentile_approx(n, 0.5) OVER minute AS middle,
       count(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL 9 SECONDS FOLLOWING) AS ahead,
       max(n) OVER (PARTITION BY k ORDER BY ts) AS so_far, row_number() OVER (PARTITION BY k ORDER BY ts) AS place,
       lag(id, 2) OVER (PARTITION BY k ORDER BY ts) AS before
FROM events
WINDOW r AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 140 PRECEDING AND CURRENT ROW),
       few AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING),
       minute AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW)"""


def _row(number: int) -> Row:
    late = timedelta(seconds=-4 if number % 7 == 3 else 0)
    return {
        "id": number,
        "ts": datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=number / 8, microseconds=number) + late,
        "k": None if number % 11 == 0 else "ab"[number % 3 == 0],
        "n": number * 7919 % 1009,
        "d": Decimal(number * 104_729 % 100_003).scaleb(12) / 10_000,
    }


def _batch(begin: int, end: int) -> list[Row]:
    return [_row(number) for number in range(begin, end)]


BEFORE = [_batch(0, 300), _batch(300, 500)]
AFTER = [_batch(500, 640), _batch(640, 700), [_row(700_000)]]


def begin(folder: Path) -> Feed:
    return Feed(folder, ARROW, SCHEMA)


def arrive(feed: Feed, batches: list[list[Row]]) -> None:
    for rows in batches:
        feed.arrive(rows)
