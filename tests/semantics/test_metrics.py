"""What the operator counts: a constant number of combines a row, however long the frame is."""

from __future__ import annotations

import pytest
from plans import metric
from pyspark.sql import SparkSession
from session import settings
from sparks import portable

ROWS = 12_000


def measured(spark: SparkSession, call: str, frame: str) -> dict[str, int]:
    """The metrics of a run, read where the SQL tab reads them."""
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        answer = spark.sql(f"SELECT id, {call} OVER (ORDER BY id {frame}) AS v FROM range(0, {ROWS}, 1, 1)")
        assert len(answer.collect()) == ROWS
    names = ("numOutputRows", "combines", "peakMemory", "spillSize", "windowTime")
    return {name: metric(answer, name) for name in names}


# Rows that come in order, as these do, are gone over by array kernels up to three times, three combines each.
IN_ARRAYS = ["sum(id)", "stddev(id)", portable("count(*) FILTER (WHERE id % 2 = 0)")]


@pytest.mark.parametrize(("call", "most"), [("max_by(id, id % 7)", 3), *((call, 9) for call in IN_ARRAYS)])
def test_combines_a_row_do_not_grow_with_the_frame(spark: SparkSession, call: str, most: int) -> None:
    for length in (10, 100, 1_000, 10_000):
        seen = measured(spark, call, f"ROWS BETWEEN {length - 1} PRECEDING AND CURRENT ROW")
        assert seen["numOutputRows"] == ROWS
        assert 0 < seen["combines"] <= most * ROWS, (length, seen)


def test_combines_of_sketches(spark: SparkSession) -> None:
    # A sketch that is made again from its rows counts once more for each of them.
    for length in (100, 1_000, 6_000):
        seen = measured(spark, "approx_count_distinct(id)", f"ROWS {length - 1} PRECEDING")
        assert 0 < seen["combines"] <= 5 * ROWS, (length, seen)


def test_a_shrinking_frame(spark: SparkSession) -> None:
    seen = measured(spark, "max(id)", "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING")
    assert 0 < seen["combines"] <= 3 * ROWS


def test_memory_and_time_are_measured(spark: SparkSession) -> None:
    seen = measured(spark, "sum(id)", "ROWS 999 PRECEDING")
    assert seen["peakMemory"] > 0
    assert seen["windowTime"] > 0
    assert seen["spillSize"] == 0
