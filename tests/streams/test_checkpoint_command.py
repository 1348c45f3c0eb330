"""`slidewise checkpoint` over the checkpoints of stopped streams."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from session import settings
from slidewise.cli import _checkpoint

from streams.feed import Row
from streams.hopping import Ran, Stream, feed_of, row
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


def after_groups(rows: DataFrame) -> DataFrame:
    rows.createOrReplaceTempView("raw")
    counted = rows.sparkSession.sql(
        "SELECT k, window_time(window) AS ts, sum(n) AS n FROM raw GROUP BY k, window(ts, '2 seconds')"
    )
    return over(f"SELECT k, ts, n, sum(n) {OVER} ROWS 3 PRECEDING) AS s FROM events")(counted)


QUERIES = {
    "windows": over(WINDOWS),
    "several": over(SEVERAL),
    "hopping": in_hops("k,"),
    "hopping-without-keys": in_hops(""),
    "after-duplicates": after_duplicates,
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


def stream_in(spark: SparkSession, folder: Path, query: str) -> Stream:
    return Stream(spark, feed_of(folder, batch(0), batch(1)), QUERIES[query], "append", "20 seconds")


def begun(stream: Stream, checkpoint: Path, store: str, partitions: int = 2) -> Ran:
    """Runs the first batches."""
    chosen = {f"spark.sql.streaming.stateStore.{name}": value for name, value in STORES[store].items()}
    with settings(stream.spark, {**chosen, "spark.sql.shuffle.partitions": str(partitions)}):
        return stream.run(checkpoint)


def content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def assert_sound(spark: SparkSession, checkpoint: Path) -> Any:
    report = _checkpoint.inspect(spark, str(checkpoint))
    assert _checkpoint.problems_of(report) == []
    return report


def figures(report: Any) -> list[Any]:
    """What a rescaled state has in common with the old one."""
    names = ("name", "sql", "keys", "waitingRows", "oldest")
    return [{name: operator.get(name) for name in names} for operator in report["operators"]]


STEPS = [(5, "rocksdb"), (1, "hdfs"), (3, "rocksdb")]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("store", STORES)
def test_a_rescaled_stream_goes_on_as_before(spark: SparkSession, tmp_path: Path, store: str, query: str) -> None:
    format2 = store == "rocksdb-2"
    timeout = {"spark.slidewise.streaming.keyTimeout": "90 seconds"}
    formats = {"spark.sql.streaming.stateStore.checkpointFormatVersion": "2" if format2 else "1"}
    with settings(spark, {**timeout, **formats}):
        stream = stream_in(spark, tmp_path, query)
        never, rescaled = tmp_path / "never", tmp_path / "0"
        begun(stream, never, store)
        shutil.copytree(never, rescaled)
        for step, (partitions, other) in enumerate(STEPS):
            next_one = tmp_path / str(step + 1)
            before, files = assert_sound(spark, rescaled), content(rescaled)
            to = "rocksdb" if format2 else other
            _checkpoint.move(spark, str(rescaled), str(next_one), partitions, to)
            assert content(rescaled) == files
            after = assert_sound(spark, next_one)
            assert figures(after) == figures(before)
            assert (after["partitions"], after["store"], after["query"]) == (partitions, to, before["query"])
            stream.feed.arrive(batch(2 + step))
            expected, got = stream.run(never), stream.run(next_one)
            assert got.batches == expected.batches
            assert len(got.batches) > 0
            assert [p["batchId"] for p in got.progress] == [p["batchId"] for p in expected.progress]
            rescaled = next_one
        reports = [assert_sound(spark, folder) for folder in (never, rescaled)]
        assert figures(reports[0]) == figures(reports[1])
