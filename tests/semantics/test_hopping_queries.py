"""Queries around hopping windows: filters, HAVING, subqueries, joins, errors."""

from __future__ import annotations

import pytest
from cases import crossed
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from sparks import SPARK

from semantics.conftest import Ask, Fails
from semantics.hopping import SHAPES, hopping

CONDITIONS = [
    "w.start >= timestamp'1970-01-01 00:00:00'",
    "w.end BETWEEN timestamp'1969-12-31 23:00:00' AND timestamp'1970-01-01 01:00:00' AND k = 3",
    "k > 2 OR w.start < timestamp'1970-01-01'",
    "w.start IN (timestamp'1970-01-01 00:00:00', timestamp'1969-12-31 23:46:00')",
    "w.start > (SELECT min(t) FROM hops)",
    "hash(w) % 3 = 0",
]
PLACES = {
    "before": "SELECT w, k, sum(x) FROM ({inner}) WHERE {condition} GROUP BY w, k",
    "having": "SELECT w, k, sum(x) FROM ({inner}) GROUP BY w, k HAVING {condition}",
    "after": "SELECT * FROM (SELECT w, k, sum(x) FROM ({inner}) GROUP BY w, k) WHERE {condition}",
}


@pytest.mark.parametrize(("condition", "place"), crossed(CONDITIONS, PLACES))
def test_filters_of_the_window(hops: Ask, condition: str, place: str) -> None:
    inner = "SELECT window(t, '1 hour', '7 minutes') AS w, k, x FROM hops"
    assert hops(PLACES[place].format(inner=inner, condition=condition))


def test_filters_by_the_time_of_a_row(hops: Ask) -> None:
    inner = "SELECT window(t, {}) AS w, k, t, x FROM hops"
    sql = "SELECT w, k, sum(x) FROM ({}) WHERE {} GROUP BY w, k"
    assert hops(sql.format(inner.format("'1 hour', '7 minutes'"), "t >= w.start AND t < w.end AND t IS NOT NULL"))
    assert hops(sql.format(inner.format("'1 hour', '7 minutes'"), "t > w.start"), taken=False)
    one = "w = named_struct('start', timestamp'1970-01-01 00:00:00', 'end', timestamp'1970-01-01 01:00:00')"
    assert hops(sql.format(inner.format("'1 hour', '7 minutes'"), one))
    assert hops(sql.format(inner.format("'1 hour', '10 minutes'"), one))


@pytest.mark.parametrize(
    "having", ["count(*) > 3 AND sum(x) > 20", "sum(x) > 20 OR window.end < timestamp'1970-01-01'"]
)
def test_having(hops: Ask, having: str) -> None:
    windows = "window(t, '1 hour', '7 minutes')"
    assert hops(f"SELECT window, k, count(*), sum(x) FROM hops GROUP BY {windows}, k HAVING {having}")


def test_results_in_terms_of_the_window(hops: Ask) -> None:
    shape = SHAPES["no multiple"]
    answer = hops(
        f"""SELECT k, window.start, window.end, unix_micros(window.end) - unix_micros(window.start), sum(x) + 1,
              (SELECT max(id) FROM hops) + count(*), upper(concat(k, '/', cast(window.start AS string)))
            FROM hops GROUP BY window(t, {shape}), k"""
    )
    assert {row[3] for row in answer} == {3600000000}
    assert hops(f"SELECT DISTINCT window(t, {shape}), k FROM hops")
    assert hops(f"SELECT count(*) FROM hops GROUP BY window(t, {shape})")


def test_results_that_are_not_deterministic(hops: Ask) -> None:
    assert hops(hopping("k, length(uuid()), rand() < 1, rand(7) + sum(x) >= sum(x)", keys="k"))


def test_windows_of_windows(hops: Ask) -> None:
    inner = f"SELECT window(t, {SHAPES['no multiple']}) AS w, sum(x) AS s FROM hops GROUP BY 1"
    for over in ("w", "window_time(w)"):
        assert hops(f"SELECT window({over}, '3 hours', '1 hour'), sum(s), count(*) FROM ({inner}) GROUP BY 1")
    assert hops(f"SELECT window_time(w), s FROM ({inner})")
    assert hops(f"SELECT w.start, sum(s) OVER (ORDER BY w.start ROWS 2 PRECEDING) FROM ({inner})")


def test_data_frames(spark: SparkSession, hops: Ask) -> None:
    def frame() -> DataFrame:
        window = sf.window("t", "1 hour", "7 minutes", "2 minutes")
        return (
            spark.table("hops")
            .groupBy(window, (sf.col("k") % 2).alias("p"))
            .agg(sf.sum("x"), sf.avg("x"), sf.count("*"))
        )

    assert hops(frame)
    assert hops(lambda: frame().where("window.start >= '1970-01-01'").select("window.end", "p", "`count(1)`"))
    assert hops(lambda: spark.table("hops").groupBy(sf.window("t", "1 hour", "7 minutes")).pivot("k", [1, 2]).sum("x"))


def test_joined_with_itself_and_in_a_subquery(hops: Ask) -> None:
    one = hopping("sum(x) AS s", keys="k")
    assert hops(f"SELECT a.w, a.k, a.s + b.s FROM ({one}) AS a JOIN ({one}) AS b ON a.w = b.w AND a.k = b.k")
    assert hops(f"SELECT id FROM hops WHERE x > (SELECT min(s) FROM ({one}))")
    assert hops(f"({one}) UNION ALL ({hopping('max(x)', keys='k')})")


def test_subqueries_in_inputs_and_filters(hops: Ask) -> None:
    most = "(SELECT max(id) FROM hops)"
    assert hops(
        hopping(f"sum(x + {most}), count(*) FILTER (WHERE x > (SELECT avg(x) FROM hops)), max_by(x, id - {most})")
    )


def test_limits(spark: SparkSession, hops: Ask) -> None:
    assert len(hops(f"{hopping('count(*)', keys='k')} ORDER BY w, k LIMIT 5")) == 5
    assert len(spark.sql(f"{hopping('count(*)', keys='k')} LIMIT 4").collect()) == 4


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI", "UTF8_LCASE_RTRIM"])
def test_collations(hops: Ask, collation: str) -> None:
    if collation.endswith("RTRIM") and SPARK < (4, 1):
        pytest.skip("before Spark 4.1: no collation that ignores trailing spaces")
    space = "if(id % 3 = 0, ' ', '')" if collation.endswith("RTRIM") else "''"
    key = f"concat(if(id % 2 = 0, 'a', 'A'), k % 3, {space}) COLLATE {collation}"
    inner = f"SELECT window(t, '1 hour', '7 minutes') AS w, {key} AS s, x FROM hops"
    answer = hops(f"SELECT w, rtrim(lower(s)), count(*), sum(x) FROM ({inner}) GROUP BY w, s")
    assert len({row[1] for row in answer}) == 4
    # Which rows of a key pass is no property of the key.
    exact = "(s COLLATE UTF8_BINARY = 'A1' AND w.start < timestamp'2000-01-01') OR w.start > timestamp'2000-01-01'"
    with_key = f"SELECT w, lower(s), count(*) FROM ({inner}) WHERE {exact} GROUP BY w, s"
    assert hops(with_key, taken=False)


@pytest.mark.parametrize("ansi", [True, False])
@pytest.mark.parametrize(
    "values",
    [
        "(0, 9223372036854775807L), (5, -1L), (6, 1L)",
        ", ".join(f"({s}, cast('{v}' AS decimal(38, 0)))" for s, v in [(0, "9e37"), (5, "-9e37"), (6, "9e37")]),
    ],
    ids=["bigint", "decimal"],
)
def test_sums_that_overflow_only_out_of_order(hops: Ask, values: str, ansi: bool) -> None:
    sql = f"""SELECT window(timestamp_seconds(s), '10 seconds', '3 seconds'), sum(v), try_sum(v)
              FROM (SELECT * FROM VALUES {values} AS v(s, v)) GROUP BY 1"""
    assert len(hops(sql, ansi_enabled=ansi)) == 6


def test_errors_are_those_of_spark(events: None, fails: Fails) -> None:
    big = "(SELECT *, 9223372036854775807 - x AS big FROM hops)"
    sql = f"SELECT window(t, '1 hour', '10 minutes'), {{}} FROM {big} GROUP BY 1"
    assert fails(sql.format("sum(big)")) == "ARITHMETIC_OVERFLOW"
    assert fails(sql.format("sum(x div (k - 3))")) == "DIVIDE_BY_ZERO"
    assert fails(sql.format("max(x) + 1 div (count(*) - count(*))")) == "DIVIDE_BY_ZERO"
    assert fails("SELECT window(t, '1 minute', '2 minutes'), count(*) FROM hops GROUP BY 1")
    assert fails("SELECT window(t, '1 month', '1 day'), count(*) FROM hops GROUP BY 1")
