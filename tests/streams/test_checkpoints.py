"""Checkpoints that earlier versions of Slidewise and Spark have begun."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from session import settings
from sparks import needs_spark

from streams.checkpoints import distinct, multisets
from streams.checkpoints.stream import AFTER, BEFORE, SETTINGS, SQL, STORES, arrive, begin
from streams.run import operator_of, run

KEPT_WITH_BUFFERS = Path(__file__).parent / "checkpoints" / "v2-spark-4.2"


def kept_in(folders: str) -> list[Path]:
    found = sorted((Path(__file__).parent / "checkpoints").glob(f"{folders}/*"))
    return [path for path in found if path.is_dir()]


KEPT = kept_in("v*")
OF_MULTISETS = kept_in("multisets-v*")
OF_DISTINCT = kept_in("distinct-v*")

needs_spark_42 = needs_spark("4.2", "the state was written by Spark 4.2")


@pytest.mark.parametrize("kept", [KEPT, OF_MULTISETS, OF_DISTINCT])
def test_each_store_has_one(kept: list[Path]) -> None:
    assert {path.name for path in kept} == set(STORES)


def marks(kept: Path) -> list[pytest.MarkDecorator]:
    """`make test` goes on with each format once, and with each store."""
    needed = [needs_spark_42] if kept.parent == KEPT_WITH_BUFFERS else []
    short = kept.name == ("hdfs" if kept.parent == KEPT_WITH_BUFFERS else "rocksdb")
    return needed if short else [*needed, pytest.mark.long]


@pytest.mark.parametrize(
    "kept", [pytest.param(path, marks=marks(path)) for path in KEPT], ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_goes_on(spark: SparkSession, tmp_path: Path, kept: Path) -> None:
    assert_goes_on(spark, tmp_path, kept, SQL, SQL)


def of_its_spark(query: ModuleType, kept: Path) -> Any:
    minor = kept.parent.name.split("-")[-1]
    name = f"{kept.parent.name}-{kept.name}"
    return pytest.param(query, kept, marks=needs_spark(minor, f"written by Spark {minor}"), id=name)


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        *(of_its_spark(multisets, path) for path in OF_MULTISETS),
        *(of_its_spark(distinct, path) for path in OF_DISTINCT),
    ],
)
def test_distinct_values_percentiles_and_modes_go_on(
    spark: SparkSession, tmp_path: Path, query: ModuleType, kept: Path
) -> None:
    (described,) = kept.rglob("window.json")
    frames = json.loads(described.read_text())["frames"]
    assert all("DistinctAggregate" in frame["functions"][0]["class"] for frame in frames[:2])
    states = {"last-occurrences"} if query is distinct else {"buffers", "rows"}
    assert {frame["state"] for frame in frames} == states
    assert_goes_on(spark, tmp_path, kept, query.SQL, query.FOR_SPARK)


def assert_goes_on(spark: SparkSession, tmp_path: Path, kept: Path, sql: str, for_spark: str) -> None:
    """Continues a copy of the checkpoint. `for_spark`: what Spark alone is asked for the same rows."""
    checkpoint = shutil.copytree(kept, tmp_path / "checkpoint")
    with settings(spark, SETTINGS):
        feed = begin(tmp_path / "in")
        arrive(feed, AFTER)
        feed.stream(spark).withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
        progress = run(spark.sql(sql), tmp_path / "out", checkpoint)
        assert operator_of(progress[0])["numRowsTotal"] > 0
        rows = [row for batch in (*BEFORE, *AFTER[:-1]) for row in batch]
        feed.table(spark, rows, tmp_path / "all.parquet").createOrReplaceTempView("events")
        with settings(spark, {"spark.slidewise.enabled": "false"}):
            all_rows = sorted(map(tuple, spark.sql(for_spark).collect()))
    before = set(json.loads((kept / "answered.json").read_text()))
    assert before
    # The log of the sink begins in the middle.
    files = [str(file) for file in (tmp_path / "out").glob("*.parquet")]
    got = sorted(map(tuple, spark.read.parquet(*files).collect()))
    assert got == [row for row in all_rows if row[0] not in before]


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_format_of_a_later_version_is_refused(spark: SparkSession, tmp_path: Path, kept: Path) -> None:
    refused = refusal_after(spark, tmp_path, kept, {"format": 99})
    assert "is in format 99" in refused


@needs_spark_42
def test_another_buffer_is_refused_with_the_spark_that_wrote_it(spark: SparkSession, tmp_path: Path) -> None:
    kept = KEPT_WITH_BUFFERS / "rocksdb"
    frames = json.loads(next(kept.rglob("window.json")).read_text())["frames"]
    (most,) = (f for frame in frames for f in frame["functions"] if f["sql"] == "max_by(id, n)")
    most["buffer"][0]["type"] = "STRING"
    refused = refusal_after(spark, tmp_path, kept, {"frames": frames})
    assert "keeps max_by(id, n) in another form" in refused
    assert "STRING" in refused
    assert "written by Spark 4.2.0" in refused


def test_the_state_of_a_later_spark_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    refused = refusal_after(spark, tmp_path, KEPT_WITH_BUFFERS / "hdfs", {"spark": "9.1.0"})
    assert "was written by Spark 9.1.0" in refused


def refusal_after(spark: SparkSession, tmp_path: Path, kept: Path, changes: dict[str, Any]) -> str:
    """The refusal of a checkpoint whose description has been changed; it leaves the description as it is."""
    checkpoint = shutil.copytree(kept, tmp_path / "checkpoint")
    (described,) = checkpoint.rglob("window.json")
    described.write_text(json.dumps(json.loads(described.read_text()) | changes))
    before = described.read_text()
    with settings(spark, SETTINGS):
        feed = begin(tmp_path / "in")
        arrive(feed, AFTER)
        feed.stream(spark).withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
        with pytest.raises(AnalysisException, match="SLIDEWISE_STREAM_CHECKPOINT_CHANGED") as refused:
            run(spark.sql(SQL), tmp_path / "out", checkpoint)
    assert described.read_text() == before
    return str(refused.value)
