"""A stream that begins from a table goes on as one that has read the table's rows itself."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from session import settings

from slidewise.streaming import Backfilled, backfill
from streams.feed import Feed
from streams.hopping import BEGIN, Query, Stream, feed_of, row
from streams.mixed import QUERIES, STORES, batch, over

DELAY = "20 seconds"
SHORT = {("rocksdb", "windows", "append"), ("rocksdb-2", "hopping", "append"), ("hdfs", "hopping", "update")}
SHORT.add(("hdfs", "after-duplicates", "append"))
ALL = [(store, query, "append") for store in STORES for query in QUERIES]
ALL += [(store, query, "update") for store in STORES for query in QUERIES if "hopping" in query]
CASES = [
    pytest.param(*case, id="-".join(case), marks=() if case in SHORT else pytest.mark.long)  # type: ignore[call-overload]
    for case in ALL
]


def handed_over(spark: SparkSession, feed: Feed, folder: Path, query: Query, mode: str, **options: Any) -> Backfilled:
    """Begins the stream of a feed without files after the rows of the first batch."""
    history = feed.table(spark, batch(0), folder / "history.parquet")
    frame = query(feed.stream(spark).withWatermark("ts", DELAY))
    return backfill(frame, history, str(folder / "checkpoint"), output_mode=mode, **options)


@pytest.mark.parametrize(("store", "query", "mode"), CASES)
def test_goes_on_where_the_table_ends(spark: SparkSession, tmp_path: Path, store: str, query: str, mode: str) -> None:
    of_store = {f"spark.sql.streaming.stateStore.{name}": value for name, value in STORES[store].items()}
    with settings(spark, {"spark.slidewise.streaming.keyTimeout": "90 seconds", **of_store}):
        whole = Stream(spark, feed_of(tmp_path / "whole", batch(0)), QUERIES[query], mode, DELAY)
        read = whole.run(tmp_path / "never")
        stream = Stream(spark, feed_of(tmp_path), QUERIES[query], mode, DELAY)
        done = handed_over(spark, stream.feed, tmp_path, QUERIES[query], mode)
        assert done.batch == read.progress[-1]["batchId"]
        assert done.watermark.replace(tzinfo=UTC).isoformat()[:19] == read.progress[-1]["eventTime"]["watermark"][:19]
        for feed in (whole.feed, stream.feed):
            for number in (1, 2):
                feed.arrive(batch(number))
        expected, got = whole.run(tmp_path / "never"), stream.run(tmp_path / "checkpoint")
        assert got.batches == expected.batches
        assert len(got.batches) > 0
        assert [p["batchId"] for p in got.progress] == [p["batchId"] for p in expected.progress]
        assert {file.name for file in tmp_path.iterdir() if file.name.startswith(".")} == set()


@pytest.mark.parametrize("further", [None, "n % 2"])
@pytest.mark.parametrize("end", ["CURRENT ROW", "INTERVAL 30 SECONDS FOLLOWING"])
def test_results_of_the_table_and_of_the_stream_are_each_row_once(
    spark: SparkSession, tmp_path: Path, end: str, further: str | None
) -> None:
    """The file sink; the table's results whose frames end at the watermark or before come from a batch query."""
    sql = f"""WITH e AS (SELECT * FROM events) SELECT k, ts, n, sum(n) OVER
      (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 60 SECONDS PRECEDING AND {end}) AS s FROM e"""
    if further:
        sql = f"""SELECT *, count(*) OVER (PARTITION BY {further} ORDER BY ts RANGE BETWEEN CURRENT ROW AND {end}) AS c
          FROM ({sql})"""
    feed, out = feed_of(tmp_path), tmp_path / "out"
    done = handed_over(spark, feed, tmp_path, over(sql), "append", file_sink=str(out))
    # Times that no row of the table has, so that all are in time.
    later = [row(k, 130 + second / 7, second) for second in range(300) for k in "ab"]
    feed.arrive(later)
    frame = over(sql)(feed.stream(spark).withWatermark("ts", DELAY))
    writer = frame.writeStream.option("path", str(out)).option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.format("parquet").trigger(availableNow=True).start().awaitTermination()
    feed.table(spark, [*batch(0), *later], tmp_path / "all.parquet").createOrReplaceTempView("events")
    expected = spark.sql(sql).where("ts IS NOT NULL")
    mark = done.watermark.replace(tzinfo=None)
    reach = end.removesuffix("FOLLOWING") if "FOLLOWING" in end else "INTERVAL 0 SECONDS"
    reaches = " - ".join([reach] * (2 if further else 1))
    of_table = expected.where(f"ts <= TIMESTAMP'{mark}' - {reaches}").collect()
    of_stream = spark.read.parquet(str(out)).collect()
    assert of_stream
    last = max(r.ts for r in of_stream)
    assert sorted(map(repr, [*of_table, *of_stream])) == sorted(repr(r) for r in expected.collect() if r.ts <= last)


def test_the_query_that_starts_is_that_of_the_backfill(spark: SparkSession, tmp_path: Path) -> None:
    sql = "SELECT k, ts, sum(n) OVER (PARTITION BY k ORDER BY ts ROWS {} PRECEDING) AS s FROM events"
    feed = feed_of(tmp_path)
    handed_over(spark, feed, tmp_path, over(sql.format(5)), "append")
    feed.arrive(batch(1))
    other = Stream(spark, feed, over(sql.format(6)), "append", DELAY)
    with pytest.raises(Exception, match="SLIDEWISE_STREAM_CHECKPOINT_CHANGED"):
        other.run(tmp_path / "checkpoint")
    assert Stream(spark, feed, over(sql.format(5)), "append", DELAY).run(tmp_path / "checkpoint").batches


def failing(rows: DataFrame) -> DataFrame:
    return over("SELECT k, ts, sum(IF(n = 7, raise_error('seven'), n)) OVER (PARTITION BY k ORDER BY ts) FROM events")(
        rows
    )


def test_a_query_that_fails_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="seven"):
        handed_over(spark, feed_of(tmp_path), tmp_path, failing, "append")
    assert {file.name for file in tmp_path.iterdir()} == {"in", "history.parquet"}


def test_another_writer_of_the_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    """Another call, or the query itself, has begun while this call ran its query."""
    file = tmp_path / "checkpoint/offsets/0"

    def taken(n: int) -> int:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("of another query")
        return n

    feed = feed_of(tmp_path)
    history = feed.table(spark, batch(0), tmp_path / "history.parquet")
    history = history.withColumn("n", sf.udf(taken, "bigint")("n"))
    frame = QUERIES["windows"](feed.stream(spark).withWatermark("ts", DELAY))
    with pytest.raises(AnalysisException, match="checkpoint exists and is not empty"):
        backfill(frame, history, str(tmp_path / "checkpoint"))
    assert file.read_text() == "of another query"
    assert {path.name for path in (tmp_path / "checkpoint").rglob("*") if path.suffix != ".crc"} == {"offsets", "0"}
    assert {path.name for path in tmp_path.iterdir()} == {"in", "history.parquet", "checkpoint"}


def counted(rows: DataFrame) -> DataFrame:
    """The rows of each key so far."""
    from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

    class Counted(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self._rows = handle.getValueState("rows", "n bigint")

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: N802, N803
            n = (self._rows.get()[0] if self._rows.exists() else 0) + sum(len(part) for part in rows)
            self._rows.update((n,))
            yield pd.DataFrame({"k": [key[0]], "n": [n]})

        def close(self) -> None:
            pass

    return rows.groupBy("k").transformWithStateInPandas(Counted(), "k string, n bigint", "Update", "None")


def test_states_whose_schemas_are_in_files_of_their_own(spark: SparkSession, tmp_path: Path) -> None:
    store = {f"spark.sql.streaming.stateStore.{name}": value for name, value in STORES["rocksdb"].items()}
    feed = feed_of(tmp_path)
    history = [row(k, second, 1) for second in range(10) for k in "ab"]
    checkpoint = str(tmp_path / "checkpoint")
    found: list[tuple[Any, ...]] = []
    with settings(spark, store):
        table = feed.table(spark, history, tmp_path / "history.parquet")
        backfill(counted(feed.stream(spark)), table, checkpoint, output_mode="update")
        files = (tmp_path / "checkpoint/state").rglob("_metadata/v2/*")
        named = [file.read_text() for file in files if file.suffix != ".crc"]
        feed.arrive([row("a", 100, 1)])
        writer = (
            counted(feed.stream(spark))
            .writeStream.foreachBatch(lambda rows, _: found.extend(map(tuple, rows.collect())))
            .outputMode("update")
        )
        writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()
    assert found == [("a", 11)]
    assert any(f"{checkpoint}/state" in text for text in named)
    assert not any(".slidewise-backfill" in text for text in named)


def test_without_empty_batches(spark: SparkSession, tmp_path: Path) -> None:
    """The watermark of the table's rows would not take effect."""
    wrong = pytest.raises(AnalysisException, match=r"noDataMicroBatches\.enabled = false would leave all rows")
    with settings(spark, {"spark.sql.streaming.noDataMicroBatches.enabled": "false"}), wrong:
        handed_over(spark, feed_of(tmp_path), tmp_path, QUERIES["windows"], "append")
    assert not (tmp_path / "checkpoint").exists()


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "a table": ({"query": "table"}, AnalysisException, "query = a table is no stream"),
    "two streams": ({"query": "two"}, AnalysisException, "query = a query over 2 streams has several"),
    "no query": ({"query": 3}, TypeError, "query is 3, but must be a DataFrame"),
    "history is a stream": ({"history": "stream"}, AnalysisException, "history = a stream is no table"),
    "a column less": ({"history": "short"}, AnalysisException, "history = k, ts has no column n"),
    "another type": ({"history": "wide"}, AnalysisException, "history = STRING is the type of the column n"),
    "files in the checkpoint": ({"checkpoint": "used"}, AnalysisException, "used exists and is not empty"),
    "files in the sink": ({"file_sink": "used"}, AnalysisException, "file_sink = "),
    "no path": ({"checkpoint": ""}, TypeError, "checkpoint is '', but must be a path"),
    "no sink": ({"file_sink": ""}, TypeError, "file_sink is '', but must be a path, or None"),
    "mode": ({"output_mode": "all"}, ValueError, "output_mode is 'all', but must be one of append, complete, update"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments(spark: SparkSession, tmp_path: Path, case: str) -> None:
    given, error, message = WRONG[case]
    stream = feed_of(tmp_path).stream(spark).withWatermark("ts", DELAY)
    table = spark.createDataFrame([("a", BEGIN, 1)], "k string, ts timestamp, n bigint")
    frames: dict[Any, Callable[[], Any]] = {
        "table": lambda: table,
        "two": lambda: stream.union(feed_of(tmp_path / "other").stream(spark)),
        "stream": lambda: stream,
        "short": lambda: table.drop("n"),
        "wide": lambda: table.withColumn("n", table.n.cast("string")),
    }
    (tmp_path / "used").mkdir()
    (tmp_path / "used/file").touch()
    arguments: dict[str, Any] = {"query": stream, "history": table, "checkpoint": "new"}
    for name, value in given.items():
        arguments[name] = frames.get(value, lambda found=value: found)()
    for name in ("checkpoint", "file_sink"):
        if arguments.get(name):
            arguments[name] = str(tmp_path / arguments[name])
    with pytest.raises(error) as raised:
        backfill(**arguments)
    assert message in str(raised.value)
    assert not (tmp_path / "new").exists()
