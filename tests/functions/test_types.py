"""Every type that a function takes, its result type, ANSI mode, and the ends of the types."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from cases import crossed
from pyspark.sql import SparkSession
from semantics.conftest import Ask, Fails

NUMBERS = ["tinyint", "smallint", "int", "bigint", "float", "double", "decimal(7,2)", "decimal(38,10)"]
ORDERED = {
    **{kind: f"cast(i AS {kind})" for kind in NUMBERS},
    "string": "cast(i AS string)",
    "boolean": "i % 2 = 0",
    "binary": "cast(cast(i AS string) AS binary)",
    "date": "date_add(DATE'2026-01-01', i)",
    "timestamp": "timestamp_seconds(i)",
    "timestamp_ntz": "cast(timestamp_seconds(i) AS timestamp_ntz)",
    "interval day to second": "make_dt_interval(i)",
    "interval year to month": "make_ym_interval(i)",
    "struct<a:int,b:string>": "struct(i AS a, 's' AS b)",
    "array<int>": "array(i)",
}
SUMS = {
    **dict.fromkeys(["tinyint", "smallint", "int", "bigint"], "bigint"),
    **dict.fromkeys(["float", "double"], "double"),
    "decimal(7,2)": "decimal(17,2)",
    "decimal(38,10)": "decimal(38,10)",
}
WINDOW = "OVER (ORDER BY i ROWS 2 PRECEDING)"


@pytest.mark.parametrize("kind", ORDERED)
def test_whatever_has_an_order(spark: SparkSession, ask: Ask, kind: str) -> None:
    x = ORDERED[kind]
    calls = {
        f"max_count({x})": "bigint",
        f"min_count({x})": "bigint",
        f"arg_max({x}, i)": kind,
        f"arg_min(i, {x}, 'last')": "int",
        f"top_k({x}, 2)": f"array<{kind}>",
        f"bottom_k({x}, 2)": f"array<{kind}>",
        f"top_k_by(i, {x}, 2)": "array<int>",
    }
    point = f"struct<t:{kind},v:{kind}>"
    calls[f"m4({x}, {x})"] = f"struct<first:{point},last:{point},lowest:{point},highest:{point}>"
    run = f"struct<length:bigint,first_position:bigint,last_position:bigint,start_value:{kind},end_value:{kind}>"
    calls[f"longest_increasing_run({x})"] = run
    calls[f"longest_decreasing_run({x}, false)"] = run
    selected = ", ".join(f"{call} {WINDOW} AS c{i}" for i, call in enumerate(calls))
    sql = f"SELECT {selected} FROM VALUES (1), (2), (NULL), (5), (4) AS t(i)"
    assert [t.dataType.simpleString() for t in spark.sql(sql).schema] == list(calls.values())
    shown = ", ".join(f"cast(c{i} AS string)" for i in range(len(calls)))
    assert len(ask(f"SELECT {shown} FROM ({sql})")) == 5


@pytest.mark.parametrize(("kind", "ansi"), crossed(NUMBERS, [True, False]))
def test_every_number(spark: SparkSession, ask: Ask, kind: str, ansi: bool) -> None:
    calls = {
        "geomean(x)": "double",
        "ewma(x, 0.5)": "double",
        "time_weighted_avg(i, x)": "double",
        "rate(i, x)": "double",
        "increase(i, x)": SUMS[kind],
        "max_subarray_sum(x)": SUMS[kind],
    }
    selected = ", ".join(f"round({call} {WINDOW}, 6) AS c{i}" for i, call in enumerate(calls))
    plain = ", ".join(f"{call} {WINDOW}" for call in calls)
    table = f"(SELECT i, cast(x AS {kind}) AS x FROM VALUES (1, 3), (2, 5), (3, NULL), (4, 1), (5, 2) AS t(i, x))"
    assert [t.dataType.simpleString() for t in spark.sql(f"SELECT {plain} FROM {table}").schema] == list(calls.values())
    answer = ask(f"SELECT {selected} FROM {table}", ansi_enabled=ansi)
    assert [float(value) for value in answer[1]] == pytest.approx([15**0.5, 13 / 3, 3.0, 2.0, 2.0, 8.0], abs=1e-5)


@pytest.mark.parametrize(
    "t",
    [
        "date_add(DATE'2026-01-01', cast(i AS int))",
        "timestamp_seconds(i * 86400)",
        "cast(timestamp_seconds(i * 86400) AS timestamp_ntz)",
        "i * 86400",
        "make_dt_interval(cast(i AS int))",
    ],
)
def test_a_rate_is_per_second_whatever_the_type_of_time(ask: Ask, t: str) -> None:
    answer = ask(f"SELECT rate({t}, i * 864) {WINDOW}, time_weighted_avg({t}, i) {WINDOW} FROM range(3) AS t(i)")
    assert answer == [(None, 0.0), (0.01, 0.0), (0.01, 0.5)]


def test_the_time_of_a_day_is_a_time(ask: Ask) -> None:
    t = "make_time(12, cast(i AS int), 0)"
    answer = ask(
        f"SELECT rate({t}, i * 60) {WINDOW}, time_weighted_avg({t}, i) {WINDOW} FROM range(3) AS t(i)",
        timeType_enabled="true",
    )
    assert answer == [(None, 0.0), pytest.approx((1.0, 0.0)), pytest.approx((1.0, 0.5))]


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
    assert fails(sql, ansi_enabled=True) == "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"


def test_the_geometric_mean_at_the_ends_of_doubles(ask: Ask) -> None:
    answer = ask(
        """SELECT geomean(x) OVER (ORDER BY i ROWS 99 PRECEDING)
           FROM (SELECT id AS i, CASE WHEN id < 5000 THEN 1.7976931348623157E308D ELSE 4.9E-324D END AS x
                 FROM range(10000))"""
    )
    assert all(row[0] == pytest.approx(1.7976931348623157e308, rel=1e-14) for row in answer[:5000])
    assert {row[0] for row in answer[5100:]} == {5e-324}
    odd = ask(
        """SELECT geomean(x) OVER (ORDER BY i ROWS 0 PRECEDING)
           FROM VALUES (1, double('inf')), (2, -0.0D), (3, -1D), (4, double('NaN')) AS t(i, x)"""
    )
    assert [repr(row[0]) for row in odd] == ["inf", "0.0", "nan", "nan"]
    for beside, mean in (("-1D", "nan"), ("double('NaN')", "nan"), ("double('inf')", "nan"), ("1D", "0.0")):
        over = "OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
        assert repr(ask(f"SELECT geomean(x) {over} FROM VALUES (0D), ({beside}) AS t(x)", False)[0][0]) == mean, beside


def test_nothing_but_nulls(spark: SparkSession) -> None:
    calls = [
        "geomean(x)", "max_count(x)", "arg_max(x, x)", "m4(x, x)", "max_subarray_sum(x)", "ewma(x, 0.5)",
        "time_weighted_avg(x, x)", "rate(x, x)", "increase(x, x)", "longest_increasing_run(x)", "top_k(x, 2)",
        "bloom_filter_agg(x)", "count_min_sketch_merge_agg(x)",
    ]  # fmt: skip
    for value in ("NULL", "CAST(NULL AS INT)"):
        given = [c for c in calls if value == "NULL" or "sketch" not in c]
        selected = ", ".join(f"{call} OVER (ORDER BY i ROWS 1 PRECEDING)" for call in given)
        for row in spark.sql(f"SELECT {selected} FROM (SELECT i, {value} AS x FROM range(3) AS t(i))").collect():
            assert [v for v in row if v not in (None, 0)] == []


def test_a_filter_does_not_know_values_of_another_type(spark: SparkSession) -> None:
    sql = "SELECT might_contain(f, 3.0), might_contain(f, '3') FROM (SELECT bloom_filter_agg(3) AS f)"
    assert tuple(spark.sql(sql).first()) == (False, False)


def test_a_filter_tells_integers_of_any_width(spark: SparkSession) -> None:
    sql = "SELECT " + ", ".join(f"might_contain(f, {x})" for x in ("3Y", "3S", "3", "3L", "4L"))
    assert tuple(spark.sql(f"{sql} FROM (SELECT bloom_filter_agg(x) AS f FROM VALUES (3), (9) AS t(x))").first()) == (
        True, True, True, True, False,
    )  # fmt: skip
    kinds = ["'a'", "1.5D", "1.5F", "1.5", "DATE'2026-01-01'", "true", "X'01'", "array(1)", "INTERVAL 1 DAY"]
    for x in kinds:
        assert spark.sql(f"SELECT might_contain(bloom_filter_agg({x}), {x})").first()[0] is True, x


@pytest.mark.parametrize(("collation", "x", "same"), [("UTF8_LCASE", "abc", "ABC"), ("UTF8_BINARY_RTRIM", "a", "a ")])
def test_a_filter_tells_strings_by_their_collation(spark: SparkSession, collation: str, x: str, same: str) -> None:
    asked = ", ".join(f"might_contain(f, '{s}' COLLATE {collation})" for s in (x, same, "b"))
    sql = f"SELECT {asked} FROM (SELECT bloom_filter_agg(x COLLATE {collation}) AS f FROM VALUES ('{x}') AS t(x))"
    assert tuple(spark.sql(sql).first()) == (True, True, False)


def test_a_filter_is_asked_by_the_users_own_name(spark: SparkSession) -> None:
    assert spark.sql("SELECT might_contain(f, a) FROM VALUES (X'00', 'x') AS t(f, a)").columns == [
        "might_contain(f, a)"
    ]


def test_a_mean_between_the_largest_doubles(spark: SparkSession) -> None:
    mean = "time_weighted_avg(t, x, 'linear') WITHIN GROUP (ORDER BY t)"
    assert spark.sql(f"SELECT {mean} FROM VALUES (0, 1e308), (1, 1e308) AS t(t, x)").first()[0] == 1e308
