"""slidewise.window_join, compared with brute force, on a classic session and on Spark Connect."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812
from session import run_on_connect
from sparks import needs_connect_server

import slidewise
import slidewise.functions as sw
from joins.tables import LEFT, RIGHT, assert_runs_on_slidewise, tables

NEVER, MINUTE = timedelta(days=9), timedelta(minutes=1)


def frames() -> dict[str, tuple[Any, timedelta, timedelta]]:
    """Frames, each with the distances of its ends."""
    return {
        "trailing": (sw.trailing(interval="10 minutes"), -10 * MINUTE, 0 * MINUTE),
        "centered": (sw.centered(interval=timedelta(minutes=3)), -3 * MINUTE, 3 * MINUTE),
        "before": (Window.rangeBetween(Window.unboundedPreceding, Window.currentRow), -NEVER, 0 * MINUTE),
        "after": (Window.rangeBetween(Window.currentRow, Window.unboundedFollowing), 0 * MINUTE, NEVER),
    }


def in_frame(row: Any, frame: str, closed: str | None, prevailing: bool) -> list[int]:
    """The values of the rows of a frame, by the definition."""
    _, lower, upper = frames()[frame]
    if row.k is None or row.ts is None:
        return []
    ends = closed or ("left" if upper == 0 * MINUTE else "both")
    start, end = row.ts + lower, row.ts + upper
    same_key = [(e.ts, e.x) for e in RIGHT if e.k == row.k and e.ts is not None]
    earlier = [ts for ts, _ in same_key if ts <= start]
    newest = max(earlier) if prevailing and earlier else None
    return sorted(
        x
        for ts, x in same_key
        if (start < ts or (ts == start and ends in ("left", "both")) or (newest is not None and ts >= newest))
        and (ts < end or (ts == end and ends in ("right", "both")))
    )


def check(spark: SparkSession, closed: Any, prevailing: bool, names: list[str]) -> None:
    left, right = tables(spark)
    aggregates = {}
    for name, frame in ((name, frames()[name][0]) for name in names):
        aggregates[f"{name}_x"] = (F.sort_array(F.collect_list("x")), frame)
        aggregates[f"{name}_n"] = ("count(*)", frame)
        aggregates[f"{name}_s"] = (F.sum("x"), frame)
    joined = slidewise.window_join(
        left, right, aggregates, on="ts", by="k", closed=closed, include_prevailing=prevailing
    )
    assert joined.columns == ["id", "k", "ts", *aggregates]
    assert_runs_on_slidewise(joined, "WindowJoin")
    found = {row.id: row for row in joined.collect()}
    assert len(found) == len(LEFT)
    nonempty = 0
    for row in LEFT:
        for name in names:
            values = in_frame(row, name, closed, prevailing)
            nonempty += bool(values)
            got = found[row.id]
            expected = (values, len(values), sum(values) if values else None)
            assert (got[f"{name}_x"], got[f"{name}_n"], got[f"{name}_s"]) == expected, (row, name)
    assert nonempty > len(LEFT) // 2


CASES = [
    (None, False, ["trailing", "centered", "before", "after"]),
    ("both", True, ["centered"]),
    ("neither", False, ["trailing", "centered"]),
    ("right", True, ["trailing", "before"]),
]


@pytest.mark.parametrize(("closed", "prevailing", "names"), CASES)
def test_as_by_brute_force(spark: SparkSession, closed: Any, prevailing: bool, names: list[str]) -> None:
    check(spark, closed, prevailing, names)


def check_other_inputs(spark: SparkSession) -> None:
    """Numbers as times, names that need quotes, two keys of other names, equal rows and names, and no keys."""
    before = spark.catalog.listTables()
    left = spark.sql("SELECT 5 AS `a.b`, 'k' AS `le``ft`, 1 AS n, 2 AS x, 3 AS x UNION ALL SELECT 5, 'k', 1, 2, 3")
    right = spark.sql("SELECT id AS `t t`, 'k' AS `ri.ght`, 1 AS m, id AS x FROM range(8)")
    frame = Window.rangeBetween(-3, Window.currentRow)
    aggregates = {"s s": (F.collect_list(F.col("x")), frame)}
    keys = {"left_by": ["le`ft", "n"], "right_by": ["ri.ght", "m"]}
    joined = slidewise.window_join(left, right, aggregates, left_on="a.b", right_on="t t", **keys)
    assert [tuple(row) for row in joined.collect()] == [(5, "k", 1, 2, 3, [2, 3, 4])] * 2

    days = spark.sql("SELECT DATE'2026-03-31' + cast(id AS int) AS d, id AS x FROM range(40)")
    month = {"n": (F.count("*"), sw.trailing(interval="1 month")), "m": (F.max("X"), sw.trailing(interval="6 days"))}
    last = slidewise.window_join(days, days, month, on="d").orderBy(F.desc("d")).first()
    assert (last.n, last.m) == (30, 38)

    counted = slidewise.window_join(days, days, {"n": (F.count("*"), sw.trailing(interval="2 days"))}, on="d")
    again = slidewise.window_join(days.limit(5), counted, {"ns": (F.sum("n"), sw.trailing(interval="3 days"))}, on="d")
    assert [row.ns for row in again.orderBy("d").collect()] == [None, 0, 1, 3, 5]
    assert spark.catalog.listTables() == before


def test_other_inputs(spark: SparkSession) -> None:
    check_other_inputs(spark)


def test_days_follow_the_time_zone(spark: SparkSession) -> None:
    """The day before 12 o'clock of 29 March in Berlin has 23 hours, as in a window over one table."""
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        left = spark.sql("SELECT TIMESTAMP'2026-03-29 12:00:00' AS ts")
        right = spark.sql(
            "SELECT explode(sequence(ts - INTERVAL 3 DAYS, ts, INTERVAL 1 HOUR)) AS ts FROM VALUES "
            "(TIMESTAMP'2026-03-29 12:00:00') AS t(ts)"
        )
        joined = slidewise.window_join(left, right, {"n": (F.count("*"), sw.trailing(interval="1 day"))}, on="ts")
        assert joined.first().n == 23
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


@needs_connect_server
def test_on_spark_connect(connect_server: str, tmp_path: Path) -> None:
    code = """
import sys
from pyspark.sql import SparkSession
import slidewise
from joins import test_asof_join, test_join_arguments, test_window_join
spark = slidewise.configure(SparkSession.builder.remote(sys.argv[1])).getOrCreate()
for case in test_window_join.CASES[1:2]:
    test_window_join.check(spark, *case)
test_window_join.check_other_inputs(spark)
for case in test_asof_join.CASES[2:3]:
    test_asof_join.check(spark, *case)
test_asof_join.check_other_inputs(spark)
for call, error, words in test_join_arguments.WRONG:
    test_join_arguments.check(spark, call, error, words)
print("all as expected", type(spark).__module__)
"""
    done = run_on_connect(code, connect_server, tmp_path)
    assert "all as expected pyspark.sql.connect.session" in done.stdout, done.stderr[-3000:]
