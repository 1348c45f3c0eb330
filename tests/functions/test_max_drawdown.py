"""The greatest fall at the ends of its types."""

from __future__ import annotations

import math

import pytest
from pyspark.sql import SparkSession
from semantics.conftest import Ask, Fails

WINDOW = "OVER (ORDER BY i ROWS 2 PRECEDING)"


def test_a_fall_is_of_the_type_of_the_interval(spark: SparkSession, ask: Ask) -> None:
    for interval in ("make_dt_interval(0, 0, 0, x)", "make_ym_interval(0, x)"):
        table = "VALUES (1, 4), (2, -1), (3, 3), (4, NULL), (5, -5) AS t(i, x)"
        fall = f"max_drawdown({interval}) {WINDOW}"
        typed = spark.sql(f"SELECT {fall} AS fall, {interval} AS x FROM {table}").dtypes
        assert typed[0][1] == typed[1][1]
        same = f"{fall} = {interval.replace('x', f'cast(max_drawdown(x) {WINDOW} AS int)')}"
        assert ask(f"SELECT {same} FROM {table}") == [(True,)] * 5


@pytest.mark.parametrize(("type_", "top"), [("bigint", 2**63 - 1), ("decimal(38,0)", 10**38 - 1)])
def test_a_fall_overflows_as_a_sum_does(ask: Ask, fails: Fails, type_: str, top: int) -> None:
    values = f"VALUES (1, {top}BD), (2, -1BD), (3, -2BD), (4, -2BD), (5, -3BD) AS t(i, x)"
    sql = f"SELECT {{}}(cast({{}}x AS {type_})) {WINDOW} FROM {values}"
    sums = sql.format("sum", "-").replace("(1, ", "(1, -").replace("(2, -1BD)", f"(2, -{top}BD)")
    condition, *_ = fails(sql.format("max_drawdown", ""), ansi_enabled=True).split(".")
    assert fails(sums, ansi_enabled=True).startswith(condition)
    wrapped = {"bigint": [(0,), (-(2**63),), (-(2**63) + 1,)], "decimal(38,0)": [(0,), (None,), (None,)]}[type_]
    assert ask(sql.format("max_drawdown", ""), ansi_enabled=False) == [*wrapped, (1,), (1,)]


def test_nan_is_greater_than_any_number(ask: Ask) -> None:
    values = ["1", "NaN", "NaN", "-inf", "-inf", "inf", "inf", "3", "-0.0", "0.0"]
    rows = ", ".join(f"({i}, double('{value}'))" for i, value in enumerate(values))
    answer = [row[0] for row in ask(f"SELECT max_drawdown(x) {WINDOW} FROM VALUES {rows} AS t(i, x)")]
    expected = [0.0, 0.0, 0.0, math.nan, math.nan, 0.0, 0.0, math.inf, math.inf, 3.0]
    assert [str(fall) for fall in answer] == [str(fall) for fall in expected]
