"""Every type that a function takes, its result type, ANSI mode, and the ends of the types."""

from __future__ import annotations

import pytest
from cases import crossed, long_if
from pyspark.sql import SparkSession
from semantics.conftest import Ask
from sparks import needs_collations, needs_trimming_collations, needs_within_group

from functions.catalogue import ALL

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


# Each has another of its kind among the rest.
LIKE_OTHERS = {"smallint", "float", "decimal(7,2)", "timestamp_ntz", "interval year to month"}


@pytest.mark.parametrize("kind", long_if(LIKE_OTHERS.__contains__, [(kind,) for kind in ORDERED]))
def test_whatever_has_an_order(spark: SparkSession, ask: Ask, kind: str) -> None:
    calls = {
        call.format(x=ORDERED[kind]): result.format(kind=kind)
        for function in ALL
        for call, result in function.any_type.items()
    }
    selected = ", ".join(f"{call} {WINDOW} AS c{i}" for i, call in enumerate(calls))
    sql = f"SELECT {selected} FROM VALUES (1), (2), (NULL), (5), (4) AS t(i)"
    assert [t.dataType.simpleString() for t in spark.sql(sql).schema] == list(calls.values())
    shown = ", ".join(f"cast(c{i} AS string)" for i in range(len(calls)))
    assert len(ask(f"SELECT {shown} FROM ({sql})")) == 5


@pytest.mark.parametrize(("kind", "ansi"), crossed(NUMBERS, [True, False]))
def test_every_number(spark: SparkSession, ask: Ask, kind: str, ansi: bool) -> None:
    expected = {call: said for function in ALL for call, said in function.any_number.items()}
    calls = {call: SUMS[kind] if result == "sum" else result for call, (result, _) in expected.items()}
    selected = ", ".join(f"round({call} {WINDOW}, 6) AS c{i}" for i, call in enumerate(calls))
    plain = ", ".join(f"{call} {WINDOW}" for call in calls)
    table = f"(SELECT i, cast(x AS {kind}) AS x FROM VALUES (1, 3), (2, 5), (3, NULL), (4, 1), (5, 2) AS t(i, x))"
    assert [t.dataType.simpleString() for t in spark.sql(f"SELECT {plain} FROM {table}").schema] == list(calls.values())
    answer = ask(f"SELECT {selected} FROM {table}", ansi_enabled=ansi)
    assert [float(value) for value in answer[1]] == pytest.approx([value for _, value in expected.values()], abs=1e-5)


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
        assert repr(ask(f"SELECT geomean(x) {over} FROM VALUES (0D), ({beside}) AS t(x)")[0][0]) == mean, beside


def test_nothing_but_nulls(spark: SparkSession) -> None:
    calls = [function.of_nulls for function in ALL if function.of_nulls]
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


@needs_collations
@pytest.mark.parametrize(
    ("collation", "x", "same"),
    [
        ("UTF8_LCASE", "abc", "ABC"),
        pytest.param("UTF8_BINARY_RTRIM", "a", "a ", marks=needs_trimming_collations),
    ],
)
def test_a_filter_tells_strings_by_their_collation(spark: SparkSession, collation: str, x: str, same: str) -> None:
    asked = ", ".join(f"might_contain(f, '{s}' COLLATE {collation})" for s in (x, same, "b"))
    sql = f"SELECT {asked} FROM (SELECT bloom_filter_agg(x COLLATE {collation}) AS f FROM VALUES ('{x}') AS t(x))"
    assert tuple(spark.sql(sql).first()) == (True, True, False)


def test_a_filter_is_asked_by_the_users_own_name(spark: SparkSession) -> None:
    assert spark.sql("SELECT might_contain(f, a) FROM VALUES (X'00', 'x') AS t(f, a)").columns == [
        "might_contain(f, a)"
    ]


@needs_within_group
def test_a_mean_between_the_largest_doubles(spark: SparkSession) -> None:
    mean = "time_weighted_avg(t, x, 'linear') WITHIN GROUP (ORDER BY t)"
    assert spark.sql(f"SELECT {mean} FROM VALUES (0, 1e308), (1, 1e308) AS t(t, x)").first()[0] == 1e308
