"""Checkpoints of hopping windows that earlier versions of Slidewise and Spark have begun."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from session import settings
from sparks import needs_spark

from streams.checkpoints.hopping import AFTER, BEFORE, SETTINGS, SQL, STORES, arrive, begin
from streams.run import run

KEPT = [path for path in sorted((Path(__file__).parent / "checkpoints").glob("hopping-v*/*")) if path.is_dir()]


def spark_of(kept: Path) -> str:
    return kept.parent.name.split("spark-")[1]


def test_each_store_has_one() -> None:
    assert {path.name for path in KEPT} == set(STORES)


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param(path, marks=needs_spark(spark_of(path), f"the state was written by Spark {spark_of(path)}"))
        for path in KEPT
    ],
    ids=lambda path: f"{path.parent.name}-{path.name}",
)
def test_goes_on(spark: SparkSession, tmp_path: Path, kept: Path) -> None:
    checkpoint = shutil.copytree(kept, tmp_path / "checkpoint")
    with settings(spark, SETTINGS):
        feed = begin(tmp_path / "in")
        arrive(feed, AFTER)
        feed.stream(spark).withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
        progress = run(spark.sql(SQL), tmp_path / "out", checkpoint)
        assert [o["operatorName"] for o in progress[-1]["stateOperators"]] == ["hoppingWindow"]
        rows = [row for batch in (*BEFORE, *AFTER[:-1]) for row in batch]
        feed.table(spark, rows, tmp_path / "all.parquet").createOrReplaceTempView("events")
        with settings(spark, {"spark.slidewise.enabled": "false"}):
            every = {(r["k"], int(r["start"].timestamp())): tuple(r) for r in spark.sql(SQL).collect()}
    before = {tuple(key) for key in json.loads((kept / "emitted.json").read_text())}
    assert before
    assert before < set(every)
    # The log of the sink begins in the middle.
    files = [str(file) for file in (tmp_path / "out").glob("*.parquet")]
    found = spark.read.parquet(*files).collect()
    got = {(r["k"], int(r["start"].timestamp())): tuple(r) for r in found}
    assert len(found) == len(got)
    assert got == {key: row for key, row in every.items() if key not in before}
