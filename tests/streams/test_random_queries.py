"""Random streams, cut at random, stopped and begun again: the rows of the batch answer, each once."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import SparkSession
from semantics.conftest import settings

from streams.columns import ARROW, SQL
from streams.feed import Feed
from streams.query import Query, random_query
from streams.run import Batch, not_late, run

TOLERANCE = 1e-8


def test_random_queries(spark: SparkSession, tmp_path: Path, stream_seed: int, index: int) -> None:
    query = random_query(stream_seed, index)
    feed = Feed(tmp_path / "in", ARROW, SQL)
    with settings(spark, query.settings):
        ran, failure = [], ""
        try:
            ran = streamed(spark, query, feed, tmp_path)
        except StreamingQueryException as error:
            failure = str(error)
        if failure:
            # As corr does in Spark 4.2, where values do not vary: it divides by zero.
            with pytest.raises(PySparkException) as alone:
                batch_answer(spark, query, feed, [row for row in feed.rows if row["ts"] is not None], tmp_path)
            assert str(alone.value.getCondition()) in failure, query.replay
            return
        got = {row[0]: row for row in spark.read.parquet(str(tmp_path / "out")).collect()}
        count = spark.read.parquet(str(tmp_path / "out")).count()
        kept = not_late(feed.batches, ran, "ts")
        expected = {row[0]: row for row in batch_answer(spark, query, feed, kept[:-1], tmp_path)}
    late = sum(row["ts"] is not None for row in feed.rows) - len(kept)
    assert sum(batch.dropped for batch in ran) == late
    assert sum(batch.timeless for batch in ran) == sum(row["ts"] is None for row in feed.rows)
    assert count == len(got), "a row came out twice"
    assert sorted(got) == sorted(expected), query.replay
    for number, row in expected.items():
        for i, (a, b) in enumerate(zip(got[number], row, strict=True)):
            assert near(a, b), f"row {number}: {a} instead of {b}\n{query.expressions[i - 2]}\n{query.replay}"


def streamed(spark: SparkSession, query: Query, feed: Feed, folder: Path) -> list[Batch]:
    ran: list[Batch] = []
    for part in (query.batches[: query.restart], query.batches[query.restart :]):
        for rows in part:
            feed.arrive(rows)
        if part:
            feed.stream(spark).withWatermark("ts", query.delay).createOrReplaceTempView("stream")
            ran += map(Batch.of, run(spark.sql(query.sql("stream")), folder / "out", folder / "checkpoint"))
    return ran


def batch_answer(spark: SparkSession, query: Query, feed: Feed, kept: list[dict[str, Any]], folder: Path) -> list[Any]:
    """Of Spark alone; without the rows whose frames are not complete when the stream ends."""
    feed.table(spark, kept, folder / "kept.parquet").createOrReplaceTempView("kept")
    over = query.over.removesuffix("ORDER BY ts")
    following = f"count(*) OVER ({over}) - row_number() OVER ({query.over})"
    with settings(spark, {"spark.slidewise.enabled": "false"}):
        frame = spark.sql(query.sql("kept", f"{following} AS following"))
        return frame.where(f"following >= {query.waits}").drop("following").collect()


def near(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(near, a, b))
    return bool(a == b)
