"""Streams with GROUP BY window() that Spark's own operator evaluates, and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from session import settings

import slidewise
from streams.hopping import Stream, feed_of
from streams.test_hopping_modes import random_batches, sums

pytestmark = pytest.mark.usefixtures("one_partition")


def runs_as_spark(stream: Stream, folder: Path) -> None:
    on, off = stream.run(folder / "on"), stream.run(folder / "off", enabled=False)
    assert "hoppingWindow" not in on.operators
    assert on.batches == off.batches != {}


def test_tumbling_windows(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(spark, feed_of(tmp_path, *random_batches(21, batches=3)), lambda r: sums(r, "10 seconds"), "update")
    runs_as_spark(stream, tmp_path)


def test_session_windows(spark: SparkSession, tmp_path: Path) -> None:
    def sessions(rows: DataFrame) -> DataFrame:
        return rows.groupBy("k", f.session_window("ts", "2 seconds")).agg(f.sum("n"))

    runs_as_spark(Stream(spark, feed_of(tmp_path, *random_batches(22, batches=3)), sessions, "append"), tmp_path)


def test_another_column_with_a_watermark(spark: SparkSession, tmp_path: Path) -> None:
    """Spark tells late rows by the first grouping column that has the watermark."""

    def by_time(rows: DataFrame) -> DataFrame:
        shifted = f.expr("ts + INTERVAL 1 SECOND")
        return rows.groupBy("ts", f.window(shifted, "30 seconds", "10 seconds")).agg(f.sum("n"))

    stream = Stream(spark, feed_of(tmp_path, *random_batches(23, batches=3)), by_time, "update")
    runs_as_spark(stream, tmp_path)
    reports = slidewise.explain(by_time(stream.feed.stream(spark).withWatermark("ts", "1 minute"))).collect()
    assert [r.reason for r in reports] == ["a column with a watermark is grouped by beside the window"]


def test_late_rows_told_by_another_watermark(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(spark, feed_of(tmp_path, *random_batches(24, batches=3)), sums, "append")
    with settings(spark, {"spark.sql.streaming.statefulOperator.allowMultiple": "false"}):
        runs_as_spark(stream, tmp_path)
