"""Sources, sinks and triggers as Spark has them: files, rate, a socket; Parquet, memory, foreachBatch, the console."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import DataStreamWriter, StreamingQuery
from session import settings
from sparks import needs_spark

from streams import killed
from streams.feed import Feed
from streams.run import progress_of

pytestmark = pytest.mark.usefixtures("one_partition")

SQL = """SELECT id, sum(n) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) AS s,
                lag(id) OVER (PARTITION BY k ORDER BY ts) AS before
         FROM events"""


@pytest.fixture
def feed(tmp_path: Path) -> Feed:
    feed = Feed(tmp_path / "in", killed.ARROW, killed.SCHEMA)
    for rows in killed.batches(7, 3, 30):
        feed.arrive(rows)
    return feed


def windowed(spark: SparkSession, stream: DataFrame) -> DataFrame:
    stream.withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
    return spark.sql(SQL)


def expected(spark: SparkSession, feed: Feed, folder: Path) -> list[tuple[Any, ...]]:
    feed.table(spark, feed.rows[:-1], folder / "all.parquet").createOrReplaceTempView("events")
    with settings(spark, {"spark.slidewise.enabled": "false"}):
        return sorted(map(tuple, spark.sql(SQL).collect()))


@contextmanager
def started(writer: DataStreamWriter) -> Iterator[StreamingQuery]:
    query = writer.start()
    try:
        yield query
    finally:
        query.stop()


def wait_until(query: StreamingQuery, condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if query.exception():
            raise AssertionError(str(query.exception())[:3000])
        assert time.monotonic() < deadline, query.lastProgress
        time.sleep(0.2)


def test_files_into_memory(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    writer = windowed(spark, feed.stream(spark)).writeStream.format("memory").queryName("into_memory")
    with started(writer.trigger(availableNow=True)) as query:
        query.awaitTermination()
        assert sorted(map(tuple, spark.table("into_memory").collect())) == expected(spark, feed, tmp_path)


def test_files_that_come_while_the_query_runs(spark: SparkSession, tmp_path: Path) -> None:
    feed = Feed(tmp_path / "in", killed.ARROW, killed.SCHEMA)
    writer = windowed(spark, feed.stream(spark)).writeStream.format("memory").queryName("while_it_runs")
    with started(writer.trigger(processingTime="100 milliseconds")) as query:
        for rows in killed.batches(8, 3, 30):
            feed.arrive(rows)
            query.processAllAvailable()
        wait_until(query, lambda: spark.table("while_it_runs").count() == 90)
        assert sorted(map(tuple, spark.table("while_it_runs").collect())) == expected(spark, feed, tmp_path)


def test_each_batch_as_a_table(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    """The function asks twice, and so the batch runs twice."""
    seen: dict[int, list[tuple[Any, ...]]] = {}

    def take(batch: DataFrame, number: int) -> None:
        seen[number] = [tuple(row) for row in batch.collect()]
        assert batch.count() == len(seen[number])

    writer = windowed(spark, feed.stream(spark)).writeStream.foreachBatch(take)
    with started(writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True)) as query:
        query.awaitTermination()
    assert sorted(row for rows in seen.values() for row in rows) == expected(spark, feed, tmp_path)


@pytest.mark.parametrize(
    ("limit", "value", "trigger", "batches"),
    [
        ("maxFilesPerTrigger", 3, {"availableNow": True}, 2),
        pytest.param("maxBytesPerTrigger", 1, {"availableNow": True}, 4, marks=pytest.mark.long),
        pytest.param("maxFilesPerTrigger", 3, {"processingTime": "0 seconds"}, 2, marks=pytest.mark.long),
        pytest.param("maxFilesPerTrigger", 2, {"once": True}, 1, marks=pytest.mark.long),
    ],
)
def test_rate_limits(
    spark: SparkSession, tmp_path: Path, feed: Feed, limit: str, value: int, trigger: dict[str, Any], batches: int
) -> None:
    """A batch has as many files as Spark says, and the rows are the same."""
    stream = spark.readStream.schema(killed.SCHEMA).option(limit, value).parquet(str(feed.folder))
    writer = windowed(spark, stream).writeStream.format("memory").queryName("limited")
    with started(writer.trigger(**trigger)) as query:
        if "processingTime" in trigger:
            query.processAllAvailable()
        else:
            query.awaitTermination()
        # A trigger once takes all, and leaves the batch that only moves the watermark to the next start.
        answers = [] if "once" in trigger else expected(spark, feed, tmp_path)
        assert sorted(map(tuple, spark.table("limited").collect())) == answers
        assert [p["numInputRows"] > 0 for p in progress_of(query)].count(True) == batches


@pytest.mark.long
def test_the_console(spark: SparkSession, feed: Feed) -> None:
    writer = windowed(spark, feed.stream(spark)).writeStream.format("console")
    with started(writer.trigger(availableNow=True)) as query:
        query.awaitTermination()
        assert sum(p["sink"]["numOutputRows"] for p in progress_of(query)) == 90


@pytest.mark.long
def test_rate(spark: SparkSession) -> None:
    rate = spark.readStream.format("rate").option("rowsPerSecond", 40).option("numPartitions", 2).load()
    rate.withWatermark("timestamp", "1 second").createOrReplaceTempView("rate")
    sql = """SELECT value, count(*) OVER w AS c, sum(value) OVER w AS s FROM rate
             WINDOW w AS (ORDER BY timestamp ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)"""
    writer = spark.sql(sql).writeStream.format("memory").queryName("from_rate")
    with started(writer.trigger(processingTime="500 milliseconds")) as query:
        wait_until(query, lambda: spark.table("from_rate").count() > 50)
    rows = sorted(map(tuple, spark.table("from_rate").collect()))
    assert rows == [(v, min(v + 1, 10), sum(range(max(v - 9, 0), v + 1))) for v in range(len(rows))]


def test_a_socket(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        stop = threading.Event()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                for rows in feed.batches:
                    text = "".join(f"{r['id']},{r['ts'].isoformat()},{r['k'] or ''},{r['n']}\n" for r in rows)
                    connection.sendall(text.encode())
                    time.sleep(0.5)
                stop.wait(120)

        thread = threading.Thread(target=serve)
        thread.start()
        lines = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", port).load()
        fields = lines.selectExpr("split(value, ',') AS f").selectExpr(
            "cast(f[0] AS BIGINT) AS id",
            "cast(f[1] AS TIMESTAMP) AS ts",
            "nullif(f[2], '') AS k",
            "cast(f[3] AS BIGINT) AS n",
        )
        try:
            with started(windowed(spark, fields).writeStream.format("memory").queryName("from_socket")) as query:
                wait_until(query, lambda: spark.table("from_socket").count() >= 90)
        finally:
            stop.set()
            thread.join()
    assert sorted(map(tuple, spark.table("from_socket").collect())) == expected(spark, feed, tmp_path)


@needs_spark("4.2", "no real-time trigger")
def test_real_time_mode_is_refused_with_what_to_use(spark: SparkSession) -> None:
    """Spark itself says that its check of operators can be switched off; then a row would wait for its batch's end."""
    jvm = spark._jvm
    source = jvm.org.apache.spark.sql.execution.streaming.sources.LowLatencyMemoryStream
    numbers = source.apply(spark._jsparkSession, jvm.org.apache.spark.sql.Encoders.LONG())
    stream = DataFrame(numbers.toDF(), spark).selectExpr("value AS id", "timestamp_seconds(value) AS ts", "'a' AS k")
    for mode in ("append", "eager"):
        with settings(spark, {"spark.slidewise.streaming.mode": mode}):
            answers = windowed(spark, stream.selectExpr("*", "id AS n"))
            writer = answers.writeStream.format("console").outputMode("update").trigger(realTime="5 minutes")
            with pytest.raises(Exception, match="processingTime") as refused, started(writer) as query:
                query.awaitTermination(60)
            assert "SLIDEWISE_UNSUPPORTED_STREAM_WINDOW" in str(refused.value)
