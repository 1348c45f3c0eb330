"""Queries of many kinds of state, and rows for them."""

from __future__ import annotations

import random
from collections.abc import Callable

from pyspark.sql import DataFrame

from streams.feed import Row
from streams.hopping import row
from streams.query import HDFS, ROCKSDB

OVER = "OVER (PARTITION BY k ORDER BY ts "
WINDOWS = f"""
    SELECT k, ts, n,
           sum(n) {OVER} ROWS 140 PRECEDING) AS s,
           percentile(n, 0.5) {OVER} ROWS 5 PRECEDING) AS p,
           count(DISTINCT n) {OVER} RANGE INTERVAL 1 MINUTE PRECEDING) AS d,
           max_by(n, ts) {OVER} RANGE INTERVAL 20 SECONDS PRECEDING) AS m,
           approx_sum(n % 10, 10, 0.01) {OVER} ROWS 99 PRECEDING) AS a,
           lag(n) {OVER}) AS l,
           count(*) {OVER} RANGE BETWEEN CURRENT ROW AND INTERVAL 9 SECONDS FOLLOWING) AS c
    FROM events"""
SEVERAL = f"""
    SELECT k, ts, n, sum(n) {OVER} ROWS 3 PRECEDING) AS s, max(n) OVER (PARTITION BY n % 3, k ORDER BY ts) AS m,
           row_number() OVER (ORDER BY ts) AS r
    FROM events"""
STORES = {
    "rocksdb": {"providerClass": ROCKSDB},
    "rocksdb-snapshots": {"providerClass": ROCKSDB, "rocksdb.changelogCheckpointing.enabled": "false"},
    "rocksdb-2": {"providerClass": ROCKSDB, "checkpointFormatVersion": "2"},
    "hdfs": {"providerClass": HDFS},
}


def over(sql: str) -> Callable[[DataFrame], DataFrame]:
    def query(rows: DataFrame) -> DataFrame:
        rows.createOrReplaceTempView("events")
        return rows.sparkSession.sql(sql)

    return query


def in_hops(keys: str) -> Callable[[DataFrame], DataFrame]:
    return over(
        f"SELECT {keys} window.start AS at, sum(n) AS s, count(*) AS c, max(n) AS m, collect_set(n % 3) AS v "
        f"FROM events GROUP BY {keys} window(ts, '1 minute', '10 seconds')"
    )


def after_duplicates(rows: DataFrame) -> DataFrame:
    return over(WINDOWS)(rows.dropDuplicates(["k", "ts"]))


def after_duplicates_in_time(rows: DataFrame) -> DataFrame:
    return over(WINDOWS)(rows.dropDuplicatesWithinWatermark(["k", "n"]))


def after_groups(rows: DataFrame) -> DataFrame:
    rows.createOrReplaceTempView("raw")
    counted = rows.sparkSession.sql(
        "SELECT k, window_time(window) AS ts, n FROM "
        "(SELECT k, window, sum(n) AS n FROM raw GROUP BY k, window(ts, '2 seconds'))"
    )
    return over(f"SELECT k, ts, n, sum(n) {OVER} ROWS 3 PRECEDING) AS s FROM events")(counted)


QUERIES = {
    "windows": over(WINDOWS),
    "several": over(SEVERAL),
    "hopping": in_hops("k,"),
    "hopping-without-keys": in_hops(""),
    "after-duplicates": after_duplicates,
    "after-duplicates-in-time": after_duplicates_in_time,
    "after-groups": after_groups,
}


def batch(number: int) -> list[Row]:
    """Some hundred rows within 100 seconds, without order; the key 'once' only in the first batch."""
    rng = random.Random(f"checkpoints/{number}")
    keys = ["a", "a", "a", "b", "c", "d", "e", "f", None]
    rows = [
        row(rng.choice(keys), number * 60 + rng.randrange(100_000) / 1000, rng.choice([None, *range(50)]))
        for _ in range(300)
    ]
    return [*rows, row("once", 30, 1), row("once", 31, 2)] if number == 0 else rows
