"""Other window functions beside moving frames are no reason to leave the moving frames to Spark."""

from __future__ import annotations

import pytest
from plans import plan
from pyspark.sql import SparkSession

from semantics.conftest import Ask

BESIDE = [
    "row_number() OVER w",
    "rank() OVER w",
    "dense_rank() OVER w",
    "percent_rank() OVER w",
    "cume_dist() OVER w",
    "ntile(4) OVER w",
    "lag(x, 2, -1L) OVER w",
    "lead(x) IGNORE NULLS OVER w",
    "nth_value(x, 2) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)",
    "sum(x) OVER w",
    "max(x) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 3 FOLLOWING)",
    "count(*) OVER (PARTITION BY p)",
]
FROM = """FROM (SELECT id, id % 3 AS p, if(id % 4 = 0, NULL, id * id) AS x FROM range(40))
    WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id"""
MOVING = "sum(x) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)"


@pytest.mark.parametrize("beside", BESIDE)
def test_one_beside(ask: Ask, beside: str) -> None:
    assert len(ask(f"SELECT id, {beside}, {MOVING} {FROM}")) == 40


def test_all_beside(ask: Ask, spark: SparkSession) -> None:
    sql = f"SELECT id, {', '.join(BESIDE)}, {MOVING} {FROM}"
    assert len(ask(sql)) == 40


@pytest.mark.parametrize("alone", BESIDE)
def test_without_a_moving_frame_nothing_is_taken(ask: Ask, alone: str) -> None:
    assert len(ask(f"SELECT id, {alone} {FROM}", taken=False)) == 40


def test_one_sort_serves_both_operators(spark: SparkSession) -> None:
    frame = spark.sql(f"SELECT id, {', '.join(BESIDE[:-1])}, {MOVING} {FROM}")
    executed = plan(frame).split("Initial Plan")[0]
    # At most one for the windows, where they do not sort themselves, and one for the answer's order.
    assert executed.count("Sort [") <= 2


def test_the_columns_stay_in_their_order(ask: Ask) -> None:
    answer = ask(
        f"SELECT id, {MOVING} AS a, row_number() OVER w AS b, {MOVING.replace('sum', 'count')} AS c, "
        f"rank() OVER w AS d {FROM}"
    )
    assert answer[0] == (0, 9, 1, 1, 1)
