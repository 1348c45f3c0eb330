"""Random streams, cut at random, stopped and begun again: the rows of the batch answer, each once."""

from __future__ import annotations

import math
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import SparkSession
from random_queries import RandomQueries, seed_or
from session import settings
from sparks import condition_of

from streams.columns import ARROW, SQL
from streams.feed import Feed
from streams.query import Query, random_query
from streams.run import Batch, Row, not_late, not_overtaken, run

# Of four, one is eager, two are stopped and begun again, and one may be long.
MINIMUM = int(os.environ.get("SLIDEWISE_STREAM_QUERIES", "2"))
TOLERANCE = 1e-8
Answers = dict[int, tuple[Any, ...]]


@pytest.mark.usefixtures("user_aggregators")
def test_random_queries(spark: SparkSession, tmp_path: Path, random_queries: RandomQueries) -> None:
    seed = seed_or(8)

    def ask(index: int) -> None:
        folder = tmp_path / str(index)
        assert_right(spark, folder, random_query(seed, index))
        shutil.rmtree(folder)

    random_queries.ask_each(ask, seed, MINIMUM)


def assert_right(spark: SparkSession, folder: Path, query: Query) -> None:
    feed = Feed(folder / "in", ARROW, SQL)
    with settings(spark, query.settings):
        ran, failure = [], ""
        try:
            ran = streamed(spark, query, feed, folder)
        except StreamingQueryException as error:
            failure = str(error)
        if failure:
            # As corr does in Spark 4.2, where values do not vary: it divides by zero.
            with pytest.raises(PySparkException) as alone:
                batch_answer(spark, query, feed, [row for row in feed.rows if row["ts"] is not None], folder)
            assert str(condition_of(alone.value)) in failure
            return
        got = {row[0]: row for row in spark.read.parquet(str(folder / "out")).collect()}
        count = spark.read.parquet(str(folder / "out")).count()
        kept = not_late(feed.batches, ran, "ts")
        if query.eager:
            kept = not_overtaken(kept, keys(spark, query, feed, folder), "ts")
            expected = eager_answer(spark, query, feed, kept, folder)
        else:
            expected = batch_answer(spark, query, feed, [row for rows in kept for row in rows][:-1], folder)
    late = sum(row["ts"] is not None for row in feed.rows) - sum(map(len, kept))
    assert sum(batch.dropped for batch in ran) == late
    assert sum(batch.timeless for batch in ran) == sum(row["ts"] is None for row in feed.rows)
    assert count == len(got), "a row came out twice"
    assert sorted(got) == sorted(expected)
    for number, row in expected.items():
        assert got[number][:2] == row[:2]
        for expression, a, b in zip(query.expressions, got[number][2:], row[2:], strict=True):
            right = near(a, b, expression.tolerance)
            assert right, f"row {number}: {a} instead of {b}\n{expression.sql}"


def streamed(spark: SparkSession, query: Query, feed: Feed, folder: Path) -> list[Batch]:
    ran: list[Batch] = []
    for part in (query.batches[: query.restart], query.batches[query.restart :]):
        for rows in part:
            feed.arrive(rows)
        if part:
            stream = feed.stream(spark)
            stream = stream.withWatermark("ts", query.delay) if query.delay else stream
            stream.createOrReplaceTempView("stream")
            ran += map(Batch.of, run(spark.sql(query.sql("stream")), folder / "out", folder / "checkpoint"))
    return ran


def batch_answer(spark: SparkSession, query: Query, feed: Feed, kept: list[Row], folder: Path) -> Answers:
    """Of Spark alone; without the rows whose frames are not complete when the stream ends."""
    feed.table(spark, kept, folder / "kept.parquet").createOrReplaceTempView("kept")
    over = query.over.removesuffix("ORDER BY ts")
    following = f"count(*) OVER ({over}) - row_number() OVER ({query.over})"
    with settings(spark, {"spark.slidewise.enabled": "false"}):
        frame = spark.sql(query.sql_for_spark("kept", f"{following} AS following"))
        return {row[0]: row for row in frame.where(f"following >= {query.waits}").drop("following").collect()}


def eager_answer(spark: SparkSession, query: Query, feed: Feed, kept: list[list[Row]], folder: Path) -> Answers:
    """Of Spark alone: for the rows of each batch, over what had come by then."""
    found: Answers = {}
    for number, rows in enumerate(kept):
        until_now = [row for batch in kept[: number + 1] for row in batch]
        answers = batch_answer(spark, query, feed, until_now, folder) if rows else {}
        found |= {row["id"]: answers[row["id"]] for row in rows}
    return found


def keys(spark: SparkSession, query: Query, feed: Feed, folder: Path) -> dict[int, int]:
    """A number for the key of each row, as Spark tells keys apart."""
    feed.table(spark, feed.rows, folder / "all.parquet").createOrReplaceTempView("all_rows")
    key = f"dense_rank() OVER (ORDER BY {query.partition})" if query.partition else "0"
    with settings(spark, {"spark.slidewise.enabled": "false"}):
        return {row[0]: row[1] for row in spark.sql(f"SELECT id, {key} FROM all_rows").collect()}


def near(a: Any, b: Any, error: float) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        close = math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE + error)
        return close or (math.isnan(a) and math.isnan(b))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(near(x, y, error) for x, y in zip(a, b, strict=True))
    return bool(a == b)
