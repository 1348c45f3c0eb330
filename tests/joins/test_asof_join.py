"""slidewise.asof_join, compared with pandas.merge_asof."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from session import settings

import slidewise
from joins.tables import LEFT, RIGHT, assert_runs_on_slidewise, tables

CASES = [
    ("backward", None, True, True),
    ("forward", timedelta(minutes=2), False, True),
    ("nearest", timedelta(minutes=3), True, True),
    ("nearest", None, False, False),
    ("backward", timedelta(minutes=1), False, False),
    ("forward", None, True, False),
]


def by_pandas(direction: str, tolerance: Any, exact: bool, keys: bool) -> dict[int, int | None]:
    left = pd.DataFrame(LEFT).drop(columns="x").dropna().sort_values("ts")
    right = pd.DataFrame(RIGHT).drop(columns="id").dropna().sort_values("ts")
    if not keys:
        # Of rows at the same time, whatever their keys.
        left = pd.DataFrame(LEFT).drop(columns="x").dropna(subset="ts").sort_values("ts")
        right = pd.DataFrame(RIGHT)[["ts"]].dropna().sort_values("ts")
        right["x"] = right.ts.dt.minute
    merged = pd.merge_asof(
        left,
        right,
        on="ts",
        by="k" if keys else None,
        direction=direction,
        tolerance=None if tolerance is None else pd.Timedelta(tolerance),
        allow_exact_matches=exact,
    )
    found = dict.fromkeys(range(len(LEFT)))
    return found | {row.id: None if pd.isna(row.x) else int(row.x) for row in merged.itertuples()}


def check(spark: SparkSession, direction: Any, tolerance: Any, exact: bool, keys: bool) -> None:
    left, right = tables(spark)
    if not keys:
        right = right.select("ts", F.minute("ts").alias("x"))
    joined = slidewise.asof_join(
        left,
        right,
        on="ts",
        by="k" if keys else None,
        direction=direction,
        tolerance=tolerance,
        allow_exact_matches=exact,
    )
    assert joined.columns == ["id", "k", "ts", "x"]
    assert_runs_on_slidewise(joined, "AsOfJoin")
    rows = joined.collect()
    assert len(rows) == len(LEFT)
    assert [row[:3] for row in sorted(rows)] == [row[:3] for row in LEFT]
    expected = by_pandas(direction, tolerance, exact, keys)
    assert {row.id: row.x for row in rows} == expected
    assert len(set(expected.values())) > 5


@pytest.mark.parametrize(("direction", "tolerance", "exact", "keys"), CASES)
def test_as_pandas(spark: SparkSession, direction: Any, tolerance: Any, exact: bool, keys: bool) -> None:
    check(spark, direction, tolerance, exact, keys)


def check_other_inputs(spark: SparkSession) -> None:
    """Numbers and dates as times, names that need quotes, and columns that both tables have."""
    before = spark.catalog.listTables()
    left = spark.sql("SELECT 5 AS `a.b`, 'k' AS K, 1 AS v, 2 AS w UNION ALL SELECT 8, 'k', 3, 4")
    right = spark.sql("SELECT id AS `t``t`, 'k' AS k, id * 10 AS V, 'u' AS u FROM range(7)")
    names = {"left_on": "a.b", "right_on": "t`t", "by": "k"}
    joined = slidewise.asof_join(left, right, **names, tolerance=2.5)
    assert joined.columns == ["a.b", "K", "v_x", "w", "t`t", "V_y", "u"]
    expected = [(5, "k", 1, 2, 5, 50, "u"), (8, "k", 3, 4, 6, 60, "u")]
    assert sorted(tuple(row) for row in joined.collect()) == expected
    near = slidewise.asof_join(left, right, **names, tolerance=Decimal("1.5"), suffixes=(None, "_right"))
    assert near.columns == ["a.b", "K", "v", "w", "t`t", "V_right", "u"]
    assert [row[4] for row in near.orderBy("v").collect()] == [5, None]
    right = right.withColumnRenamed("t`t", "v ").drop("u")
    swapped = slidewise.asof_join(left, right, left_on="v", right_on="v ", direction="nearest", suffixes=("_l", None))
    assert swapped.columns == ["a.b", "K_l", "v_l", "w", "v ", "k", "V"]
    assert [row[4:] for row in swapped.orderBy("v_l").collect()] == [(1, "k", 10), (3, "k", 30)]

    days = spark.sql("SELECT DATE'2026-03-01' + cast(id AS int) AS d, id FROM range(4)")
    self = slidewise.asof_join(days, days, on="d", tolerance="1 day", allow_exact_matches=False)
    assert sorted(tuple(row)[1:] for row in self.collect()) == [(0, None), (1, 0), (2, 1), (3, 2)]
    numbers = spark.sql("SELECT * FROM VALUES (1.0D), (1.4D), (3.0D) AS t(x)")
    near = slidewise.asof_join(numbers, numbers, on="x", tolerance=np.float64(0.5), allow_exact_matches=False)
    assert near.count() == 3
    only_keys = slidewise.asof_join(days, days.select("d"), on="d", direction="nearest")
    assert only_keys.columns == ["d", "id"]
    words = spark.sql("SELECT * FROM VALUES ('b'), ('d') AS t(w)")
    later = slidewise.asof_join(words, words.select("w", F.upper("w").alias("u")), on="w", allow_exact_matches=False)
    assert sorted(map(tuple, later.collect())) == [("b", None), ("d", "B")]
    assert spark.catalog.listTables() == before


def test_other_inputs(spark: SparkSession) -> None:
    check_other_inputs(spark)


@pytest.mark.parametrize(
    ("kind", "time", "far", "near"),
    [
        ("TINYINT", 100, -100, 101),
        ("SMALLINT", 30000, -30000, 30001),
        ("INT", 2_000_000_000, -2_000_000_000, 2_000_000_001),
        ("BIGINT", 2**62 + 2**61, -(2**62), 2**62 + 2**61 + 1),
    ],
)
def test_the_nearest_of_integers_whose_difference_exceeds_their_type(
    spark: SparkSession, kind: str, time: int, far: int, near: int
) -> None:
    left = spark.sql(f"SELECT CAST({time} AS {kind}) AS t")
    right = spark.sql(f"SELECT CAST(t AS {kind}) AS t, t AS x FROM VALUES ({far}), ({near}) AS v(t)")
    for ansi in ("true", "false"):
        with settings(spark, {"spark.sql.ansi.enabled": ansi}):
            assert slidewise.asof_join(left, right, on="t", direction="nearest").first().x == near


def test_the_nearest_across_a_change_of_the_clock(spark: SparkSession) -> None:
    """At 3 o'clock in Berlin, 1:50 is 10 minutes ago, although the clock has moved by 70."""
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        left = spark.sql("SELECT TIMESTAMP'2026-03-29 03:00:00' AS ts")
        right = spark.sql(
            "SELECT ts, date_format(ts, 'HH:mm') AS at FROM VALUES "
            "(TIMESTAMP'2026-03-29 01:50:00'), (TIMESTAMP'2026-03-29 03:20:00') AS t(ts)"
        )
        assert slidewise.asof_join(left, right, on="ts", direction="nearest").first().at == "01:50"
    finally:
        spark.conf.unset("spark.sql.session.timeZone")
