"""The state is a table that can be read, and each batch says what it did."""

from __future__ import annotations

import json
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession
from session import settings

from streams import killed
from streams.feed import Feed
from streams.run import Progress, operator_of, run

SQL = (
    """SELECT id, sum(n) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 40 PRECEDING AND CURRENT ROW) AS s FROM events"""
)


@pytest.fixture(scope="module", params=["rocksdb", "hdfs"])
def ran(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[Progress]]:
    """A query's folder and what it did: rows of five keys, of which the last batch holds three late ones."""
    folder = tmp_path_factory.mktemp(request.param)
    feed = Feed(folder / "in", killed.ARROW, killed.SCHEMA)
    batches = killed.batches(3, 3, 100)[:-1]
    late = [batches[0][i] | {"id": 1000 + i} for i in range(3)]
    for rows in (*batches, [*batches[2][-1:], *late]):
        feed.arrive(rows)
    kept = {
        "spark.sql.streaming.stateStore.providerClass": killed.provider(request.param),
        "spark.sql.shuffle.partitions": "2",
    }
    with settings(spark, kept):
        feed.stream(spark).withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
        return folder, run(spark.sql(SQL), folder / "out", folder / "checkpoint")


def test_the_state_can_be_read(spark: SparkSession, ran: tuple[Path, list[Progress]]) -> None:
    folder, progress = ran
    state = spark.read.format("statestore").load(str(folder / "checkpoint"))
    assert state.selectExpr("key.*").columns == ["section", "bucket", "key0", "number"]
    assert state.selectExpr("value.*").columns == ["low", "high", "data"]
    cells = state.selectExpr("key.section", "key.key0", "key.number", "length(value.data)").collect()
    assert len(cells) == operator_of(progress[-1])["numRowsTotal"]
    headers = [cell for cell in cells if cell[0] == 0]
    assert {cell[1] for cell in headers} == {"a", "b", "c", "d", None}
    assert all(cell[2] == 0 and cell[3] > 0 for cell in headers)
    before = spark.read.format("statestore").option("batchId", 0).load(str(folder / "checkpoint"))
    assert before.count() == operator_of(progress[0])["numRowsTotal"]


def test_the_state_describes_itself(spark: SparkSession, ran: tuple[Path, list[Progress]]) -> None:
    folder, _ = ran
    (row,) = spark.read.format("state-metadata").load(str(folder / "checkpoint")).collect()
    assert row["operatorName"] == "slidingWindow"
    assert row["stateStoreName"] == "default"
    assert row["numPartitions"] == 2
    described = json.loads((folder / "checkpoint" / "slidewise" / "0.json").read_text())
    assert described["format"] == 3
    assert described["operator"] == "slidingWindow"
    assert described["spark"] == pyspark.__version__
    (frame,) = described["frames"]
    assert frame["section"] == 16
    assert [f["sql"] for f in frame["functions"]] == ["sum(n)"]
    assert frame["functions"][0]["buffer"][0]["type"] == "bigint"


def test_progress(spark: SparkSession, ran: tuple[Path, list[Progress]]) -> None:
    folder, progress = ran
    operators = [operator_of(p) for p in progress]
    assert sum(p["numInputRows"] for p in progress) == 304
    assert sum(o["numRowsDroppedByWatermark"] for o in operators) == 3
    for batch, operator in zip(progress, operators, strict=True):
        assert operator["numRowsTotal"] > 0
        assert operator["memoryUsedBytes"] > 0
        assert operator["numShufflePartitions"] == 2
        assert operator["customMetrics"]["rowsWithoutEventTime"] == 0
        assert operator["customMetrics"]["keysTouched"] == 5, batch["batchId"]
    assert operators[0]["customMetrics"]["combines"] == 0
    last = operators[-1]["customMetrics"]
    assert last["liveKeys"] == 5
    assert last["expiredKeys"] == last["oldestWaitingMs"] == 0
    # A row after the watermark waits, and all but late rows have come.
    assert last["waitingRows"] == 301 - spark.read.parquet(str(folder / "out")).count()
    state = spark.read.format("statestore").load(str(folder / "checkpoint"))
    (content,) = state.selectExpr("sum(length(value.data))").first()
    assert content < last["stateBytes"] < 3 * content
    answered = spark.read.parquet(str(folder / "out")).count()
    combines = sum(o["customMetrics"]["combines"] for o in operators)
    assert 0 < combines <= 5 * answered
