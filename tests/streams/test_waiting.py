"""Rows that wait for others: beside rows that do not, before another window, and of a key that falls silent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cases import long_if
from pyspark.sql import SparkSession
from session import settings

from streams import killed
from streams.feed import Feed
from streams.run import Progress, operator_of, run


@pytest.fixture
def feed(tmp_path: Path) -> Feed:
    feed = Feed(tmp_path / "in", killed.ARROW, killed.SCHEMA)
    for rows in killed.batches(7, 4, 30):
        feed.arrive(rows)
    return feed


class Asked:
    """What came out, and the batch answer."""

    def __init__(self, spark: SparkSession, feed: Feed, folder: Path, sql: str) -> None:
        with settings(spark, {"spark.sql.shuffle.partitions": "1"}):
            feed.stream(spark).withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
            self.progress: list[Progress] = run(spark.sql(sql), folder / "out", folder / "checkpoint")
            self.rows = self._sorted(spark.read.parquet(str(folder / "out")).collect())
        feed.table(spark, feed.rows[:-1], folder / "all.parquet").createOrReplaceTempView("events")
        with settings(spark, {"spark.slidewise.enabled": "false"}):
            self.expected = self._sorted(spark.sql(sql).collect())

    def _sorted(self, rows: list[Any]) -> list[tuple[Any, ...]]:
        return sorted(map(tuple, rows))


RUNNING = ["sum(n)", "first(id)", "row_number()"]


@pytest.mark.parametrize("beside", [RUNNING, *long_if(bool, [([call],) for call in RUNNING])])
def test_a_running_frame_beside_one_that_waits(
    spark: SparkSession, tmp_path: Path, feed: Feed, beside: list[str]
) -> None:
    """The running frame has its end before the other has, from batch to batch."""
    window = "(ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    running = ", ".join(f"{call} OVER {window} AS running{i}" for i, call in enumerate(beside))
    asked = Asked(spark, feed, tmp_path, f"SELECT id, lead(id, 3) OVER (ORDER BY ts) AS ahead, {running} FROM events")
    # The last three rows wait for others.
    assert len(asked.rows) == 117
    assert asked.rows == [row for row in asked.expected if row[1] is not None]


@pytest.mark.long
def test_two_windows_one_after_the_other(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    """The first waits for rows up to five seconds later; the second loses none of what comes out of it."""
    ahead = "PARTITION BY k ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL 5 SECONDS FOLLOWING"
    over = "PARTITION BY k ORDER BY ts ROWS BETWEEN 3 PRECEDING AND CURRENT ROW"
    first = f"SELECT *, count(*) OVER ({ahead}) AS ahead FROM events"
    asked = Asked(spark, feed, tmp_path, f"SELECT id, ahead, sum(ahead) OVER ({over}) AS s FROM ({first})")
    assert asked.rows == asked.expected


def test_a_key_that_falls_silent_gets_its_last_answers(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    """No row of a key but the last comes after its rows; the watermark alone lets them out."""
    frame = "RANGE BETWEEN INTERVAL 60 SECONDS PRECEDING AND INTERVAL 30 SECONDS FOLLOWING"
    asked = Asked(
        spark, feed, tmp_path, f"SELECT id, count(*) OVER (PARTITION BY k ORDER BY ts {frame}) AS c FROM events"
    )
    assert asked.rows == asked.expected
    # Once no frame needs a key it is gone; the last batch's key stays.
    assert operator_of(asked.progress[-1])["customMetrics"]["liveKeys"] == 1
