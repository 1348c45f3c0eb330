"""Window frames in words, on classic sessions and on Spark Connect."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from session import run_on_connect
from sparks import SPARK, needs_connect_server

import slidewise.functions as sw


def counts(spark: SparkSession, interval: Any) -> list[int]:
    """The rows of each frame, of times that are half an hour apart."""
    df = spark.sql("SELECT timestamp_seconds(id * 1800) AS t FROM range(0, 400)")
    window = sw.trailing(interval=interval).orderBy("t")
    return [row.n for row in df.select(sw.over(F.count("*"), window).alias("n")).collect()]


@pytest.mark.parametrize(
    ("interval", "rows"),
    [
        ("1 hour 30 minutes", 4),
        (timedelta(hours=1.5), 4),
        ("1 day", 49),
        (timedelta(days=1), 49),
        ("1 WEEK", 337),
        ("1800.000001 seconds", 2),
        (timedelta(seconds=1799, microseconds=999999), 1),
        ("1799999 milliseconds", 1),
        ("1800000000 microseconds", 2),
        (timedelta(0), 1),
    ],
)
def test_intervals(spark: SparkSession, interval: Any, rows: int) -> None:
    assert counts(spark, interval)[-1] == rows


def test_an_interval_around_a_date(spark: SparkSession) -> None:
    df = spark.sql("SELECT DATE'2026-01-01' + cast(id AS int) AS day FROM range(0, 90)")
    for interval in ("1 month", timedelta(days=31)) if SPARK >= (4, 0) else ("1 month",):
        window = sw.centered(interval=interval).orderBy("day")
        assert [row.n for row in df.select(F.count("*").over(window).alias("n")).collect()][:2] == [32, 33]


WRONG = ["1.5 days", "3 fortnights", "1 month 2 days", "7", "days", "7 days 3", "-1 day", "", 7, timedelta(seconds=-1)]


@pytest.mark.parametrize("interval", WRONG)
@pytest.mark.parametrize("frame", [sw.trailing, sw.centered])
def test_what_is_no_interval_is_said_at_once(frame: Any, interval: Any) -> None:
    with pytest.raises(ValueError, match="'7 days' or '1 hour 30 minutes'") as caught:
        frame(interval=interval)
    assert repr(interval) in str(caught.value)
    assert "datetime.timedelta" in str(caught.value)


@needs_connect_server
def test_on_spark_connect(connect_server: str, tmp_path: Path) -> None:
    code = """
import slidewise, sys
from pyspark.sql import SparkSession
from datetime import timedelta
from functions.test_frames import WRONG, counts, test_what_is_no_interval_is_said_at_once
import slidewise.functions as sw
from pyspark.sql import functions as F
spark = slidewise.configure(SparkSession.builder.remote(sys.argv[1])).getOrCreate()
for interval in WRONG:
    test_what_is_no_interval_is_said_at_once(sw.trailing, interval)
from pyspark.sql.connect.expressions import WindowExpression
print("unpatched:", WindowExpression.to_plan.__module__)
try:
    spark.range(3).select(F.count("*").over(sw.trailing(interval="1 day").orderBy("id"))).collect()
except TypeError as error:
    print("refused:", error)
print("rows:", [counts(spark, interval)[-1] for interval in ("1 day", timedelta(hours=1.5))])
"""
    done = run_on_connect(code, connect_server, tmp_path)
    assert "rows: [49, 4]" in done.stdout, done.stderr[-3000:]
    assert "unpatched: pyspark.sql.connect.expressions" in done.stdout
    assert "write slidewise.functions.over(column, window) instead of column.over(window)" in done.stdout
