"""What an earlier version has begun, this one goes on with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from semantics.conftest import settings

from streams.checkpoints.stream import AFTER, BEFORE, SETTINGS, SQL, STORES, arrive, begin
from streams.run import run

KEPT = [path for path in sorted((Path(__file__).parent / "checkpoints").glob("v*/*")) if path.is_dir()]


def test_each_store_has_one() -> None:
    assert {path.name for path in KEPT} == set(STORES)


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_goes_on(spark: SparkSession, tmp_path: Path, kept: Path) -> None:
    checkpoint = shutil.copytree(kept, tmp_path / "checkpoint")
    with settings(spark, SETTINGS):
        feed = begin(tmp_path / "in")
        arrive(feed, AFTER)
        feed.stream(spark).withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
        run(spark.sql(SQL), tmp_path / "out", checkpoint)
        rows = [row for batch in (*BEFORE, *AFTER[:-1]) for row in batch]
        feed.table(spark, rows, tmp_path / "all.parquet").createOrReplaceTempView("events")
        with settings(spark, {"spark.slidewise.enabled": "false"}):
            all_rows = sorted(map(tuple, spark.sql(SQL).collect()))
    before = set(json.loads((kept / "answered.json").read_text()))
    assert before
    # The log of the sink begins in the middle.
    files = [str(file) for file in (tmp_path / "out").glob("*.parquet")]
    got = sorted(map(tuple, spark.read.parquet(*files).collect()))
    assert got == [row for row in all_rows if row[0] not in before]


def test_a_format_of_a_later_version_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    checkpoint = shutil.copytree(KEPT[0], tmp_path / "checkpoint")
    (described,) = checkpoint.rglob("window.json")
    content = json.loads(described.read_text())
    described.write_text(json.dumps(content | {"format": content["format"] + 1}))
    with settings(spark, SETTINGS):
        feed = begin(tmp_path / "in")
        arrive(feed, AFTER)
        feed.stream(spark).withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
        with pytest.raises(PySparkException, match="SLIDEWISE_STREAM_CHECKPOINT_CHANGED"):
            run(spark.sql(SQL), tmp_path / "out", checkpoint)
