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


def kept_in(folders: str) -> list[Path]:
    found = sorted((Path(__file__).parent / "checkpoints").glob(f"{folders}/*"))
    return [path for path in found if path.is_dir()]


KEPT = kept_in("v*")
OF_MULTISETS = kept_in("multisets-v*")
OF_DISTINCT = kept_in("distinct-v*")


def description_in(checkpoint: Path) -> Path:
    return checkpoint / "slidewise" / "0.json"


@pytest.mark.parametrize("kept", [KEPT, OF_MULTISETS, OF_DISTINCT])
def test_each_store_has_one(kept: list[Path]) -> None:
    assert {path.name for path in kept} == set(STORES)


def of_its_spark(kept: Path, *values: Any) -> Any:
    minor = kept.parent.name.split("-")[-1]
    name = f"{kept.parent.name}-{kept.name}"
    return pytest.param(*values, kept, marks=needs_spark(minor, f"written by Spark {minor}"), id=name)


@pytest.mark.parametrize("kept", [of_its_spark(path) for path in KEPT])
def test_goes_on(spark: SparkSession, tmp_path: Path, kept: Path) -> None:
    assert_goes_on(spark, tmp_path, kept, SQL, SQL)


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        *(of_its_spark(path, multisets) for path in OF_MULTISETS),
        *(of_its_spark(path, distinct) for path in OF_DISTINCT),
    ],
)
def test_distinct_values_percentiles_and_modes_go_on(
    spark: SparkSession, tmp_path: Path, query: ModuleType, kept: Path
) -> None:
    frames = json.loads(description_in(kept).read_text())["frames"]
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


@pytest.mark.parametrize("kept", [of_its_spark(path) for path in KEPT])
def test_a_format_of_a_later_version_is_refused(spark: SparkSession, tmp_path: Path, kept: Path) -> None:
    refused = refusal_after(spark, tmp_path, kept, {"format": 99})
    assert "is in format 99" in refused


@pytest.mark.parametrize("kept", [of_its_spark(path) for path in KEPT[-1:]])
def test_another_buffer_is_refused_with_the_spark_that_wrote_it(
    spark: SparkSession, tmp_path: Path, kept: Path
) -> None:
    description = json.loads(description_in(kept).read_text())
    frames = description["frames"]
    (most,) = (f for frame in frames for f in frame["functions"] if f["sql"] == "max_by(id, n)")
    most["buffer"][0]["type"] = "another type"
    refused = refusal_after(spark, tmp_path, kept, {"frames": frames})
    assert "keeps max_by(id, n) in another form" in refused
    assert "another type" in refused
    assert f"written by Spark {description['spark']}" in refused


@pytest.mark.parametrize("kept", [of_its_spark(path) for path in KEPT[:1]])
def test_the_state_of_a_later_spark_is_refused(spark: SparkSession, tmp_path: Path, kept: Path) -> None:
    refused = refusal_after(spark, tmp_path, kept, {"spark": "9.1.0"})
    assert "was written by Spark 9.1.0" in refused


def refusal_after(spark: SparkSession, tmp_path: Path, kept: Path, changes: dict[str, Any]) -> str:
    """The refusal of a checkpoint whose description has been changed; it leaves the description as it is."""
    checkpoint = shutil.copytree(kept, tmp_path / "checkpoint")
    described = description_in(checkpoint)
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
