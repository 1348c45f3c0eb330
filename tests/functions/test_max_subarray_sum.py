"""The greatest sum of consecutive rows at the ends of its types."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession
from semantics.conftest import Ask, Fails

WINDOW = "OVER (ORDER BY i ROWS 2 PRECEDING)"


@pytest.mark.parametrize(
    ("make", "kind", "top"),
    [
        ("make_dt_interval(0, 0, 0, x)", "interval day to second", "'106751991 04:00:54.775807' DAY TO SECOND"),
        ("make_ym_interval(0, x)", "interval year to month", "'178956970-7' YEAR TO MONTH"),
    ],
)
def test_the_greatest_sum_of_intervals(
    spark: SparkSession, ask: Ask, fails: Fails, make: str, kind: str, top: str
) -> None:
    table = "VALUES (1, 4), (2, -1), (3, 3), (4, NULL), (5, -5) AS t(i, x)"
    sums = f"max_subarray_sum({make}) {WINDOW}"
    assert spark.sql(f"SELECT {sums} FROM {table}").schema[0].dataType.simpleString() == kind
    same = f"{sums} = {make.replace('x', f'cast(max_subarray_sum(x) {WINDOW} AS int)')}"
    assert ask(f"SELECT {same} FROM {table}") == [(True,)] * 5
    for ansi in (True, False):
        ends = f"SELECT {{}}(INTERVAL {top}) {WINDOW} FROM VALUES (1), (2) AS t(i)"
        assert fails(ends.format("max_subarray_sum"), ansi_enabled=ansi) == fails(ends.format("sum"), ansi_enabled=ansi)


def test_sums_overflow_as_sum_does(ask: Ask, fails: Fails) -> None:
    top = 2**63 - 1
    for call in ("max_subarray_sum(x)", "increase(i, x)"):
        counter = call.startswith("increase")
        values = f"(1, 0), (2, {top}), (3, 0), (4, 1)" if counter else f"(1, {top}), (2, 1), (3, -5)"
        window = WINDOW.replace("2 PRECEDING", "3 PRECEDING")
        sql = f"SELECT {{}} {window} FROM VALUES {values} AS t(i, x)"
        if not counter:
            assert fails(sql.format("sum(x)"), ansi_enabled=True) == fails(sql.format(call), ansi_enabled=True)
        assert fails(sql.format(call), ansi_enabled=True).startswith("ARITHMETIC_OVERFLOW")
        expected = [(None,), (top,), (top,), (-(2**63),)] if counter else [(top,), (-(2**63),), (-(2**63),)]
        assert ask(sql.format(call), ansi_enabled=False) == expected


def test_parts_may_be_more_than_the_type_holds(ask: Ask) -> None:
    """The sum of all is never asked for, but states that are merged hold it."""
    bottom = -(2**63)
    sql = f"""SELECT max_subarray_sum(x) OVER (ORDER BY i ROWS 3 PRECEDING)
              FROM VALUES (1, {bottom}), (2, {bottom}), (3, {bottom}), (4, 7), (5, 3) AS t(i, x)"""
    assert ask(sql, ansi_enabled=True) == [(bottom,), (bottom,), (bottom,), (7,), (10,)]
    nines = "-" + "9" * 28
    sql = f"""SELECT max_subarray_sum(cast(x AS decimal(38,10))) OVER (ORDER BY i ROWS 3 PRECEDING)
              FROM VALUES (1, '{nines}'), (2, '{nines}'), (3, '7'), (4, '3') AS t(i, x)"""
    assert ask(sql, ansi_enabled=True)[-1] == (Decimal("10.0000000000"),)


@pytest.mark.parametrize(("first", "second"), [("inf", "-inf"), ("-inf", "inf"), ("NaN", "1")])
def test_sums_that_are_no_numbers_are_the_greatest(ask: Ask, first: str, second: str) -> None:
    sql = f"""SELECT max_subarray_sum(double(x)) OVER (ORDER BY i ROWS 19 PRECEDING)
              FROM (SELECT id AS i, CASE id WHEN 5 THEN '{first}' WHEN 15 THEN '{second}' ELSE '-2' END AS x
                    FROM range(40))"""
    answer = [row[0] for row in ask(sql)]
    assert [i for i, x in enumerate(answer) if math.isnan(x)] == list(range(5 if first == "NaN" else 15, 25))


def test_an_overflow_of_decimals_is_null_or_an_error(ask: Ask, fails: Fails) -> None:
    nines = "9" * 28
    sql = f"""SELECT max_subarray_sum(cast(x AS decimal(38,10))) {WINDOW}
              FROM VALUES (1, '{nines}'), (2, '{nines}'), (3, '7') AS t(i, x)"""
    assert ask(sql, ansi_enabled=False)[1] == (None,)
    assert fails(sql, ansi_enabled=True).startswith("NUMERIC_VALUE_OUT_OF_RANGE")
