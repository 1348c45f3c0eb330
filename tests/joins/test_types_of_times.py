"""Joins whose times, or bounds of ranges, are of several types, on Slidewise and as Spark answers them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

import slidewise
import slidewise.functions as sw
from joins.tables import assert_runs_on_slidewise, tables
from slidewise._switch import switched

NUMBER = "cast(unix_seconds(ts) AS {})"
TIMES: list[tuple[str, str, Any, Any]] = [
    ("ts", "cast(ts AS timestamp_ntz)", "10 minutes", "5 minutes"),
    ("cast(ts AS timestamp_ntz)", "cast(ts AS date)", "10 minutes", "1 day"),
    ("cast(ts AS date)", "cast(ts AS date)", "90 minutes", "30 minutes"),
    (NUMBER.format("int"), NUMBER.format("int"), 600, 120.5),
    (NUMBER.format("decimal(12, 2)"), NUMBER.format("decimal(12, 2)"), 600, Decimal("120.5")),
    (NUMBER.format("double"), NUMBER.format("bigint"), 600, 120.5),
]
"""The times of both tables, the length of a frame, and a tolerance."""


@pytest.mark.parametrize(("of_left", "of_right", "length", "tolerance"), TIMES)
def test_as_spark(spark: SparkSession, of_left: str, of_right: str, length: Any, tolerance: Any) -> None:
    left, right = tables(spark)
    left = left.withColumn("ts", F.expr(of_left))
    # Rows of one key and time have one value.
    right = right.withColumn("ts", F.expr(of_right)).withColumn("x", F.hash("k", "ts"))
    frame = sw.trailing(interval=length) if isinstance(length, str) else Window.rangeBetween(-length, 0)
    aggregates: Any = {"n": (F.count("*"), frame), "s": (F.sum("x"), frame)}
    windows = slidewise.window_join(left, right, aggregates, on="ts", by="k", include_prevailing=True)
    nearest = slidewise.asof_join(left, right, on="ts", by="k", direction="nearest", tolerance=tolerance)
    for joined, operator in ((windows, "WindowJoin"), (nearest, "AsOfJoin")):
        assert_runs_on_slidewise(joined, operator)
        with switched(spark, False):
            expected = sorted(joined.select("*").collect(), key=str)
        assert sorted(joined.collect(), key=str) == expected
