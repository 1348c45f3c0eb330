"""ASOF JOIN … MATCH_CONDITION, which Spark has since 4.3, and DataFrame._joinAsOf, beside Spark's own plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from plans import plan
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from session import settings
from sparks import needs_spark

L = "id int, k int, s string, t int, x int, d double"
E = "k int, s string, t int, v int, d double, n int"


def _rows(count: int, step: int) -> list[tuple[Any, ...]]:
    """Many equal times; the last column differs among rows of equal times."""

    def value(of: int, modulus: int) -> int | None:
        return None if of % 13 == 5 else of % modulus

    special = [float("nan"), float("inf"), -0.0, 0.0, 1.5]
    return [
        (value(i, 4), "abA"[i % 3], value(i * step, 17), value(i * 3, 9), special[i % 5] if i % 2 else i / 8, i)
        for i in range(count)
    ]


@pytest.fixture(autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    left = [(row[5], *row[:5]) for row in _rows(40, 5)]
    spark.createDataFrame(left, L).createOrReplaceTempView("l")
    spark.createDataFrame(_rows(60, 7), E).coalesce(1).createOrReplaceTempView("e")
    with settings(spark, {"spark.sql.adaptive.enabled": "false", "spark.sql.join.asofJoin.enabled": "true"}):
        yield


def _join(match: str, on: str = "ON l.k = e.k", kind: str = "LEFT ASOF JOIN", right: str = "e") -> str:
    return f"SELECT l.*, e.* FROM l {kind} {right} MATCH_CONDITION ({match}) {on}"


# Each query, and whether Slidewise runs it.
QUERIES = {
    "at or before": (_join("l.t >= e.t"), True),
    "before": (_join("l.t > e.t"), True),
    "at or after": (_join("l.t <= e.t"), True),
    "after": (_join("l.t < e.t"), True),
    "the right time first": (_join("e.t <= l.t"), True),
    "inner": (_join("l.t > e.t", kind="ASOF JOIN"), True),
    "two keys": (_join("l.t >= e.t", "ON l.k = e.k AND l.s = e.s"), True),
    "USING": (
        "SELECT k, s, l.id, e.v, e.n FROM l INNER ASOF JOIN e MATCH_CONDITION (l.t >= e.t) USING (k, s)",
        True,
    ),
    "no keys": (_join("l.t >= e.t", ""), True),
    "null-safe keys": (_join("l.t < e.t", "ON l.k <=> e.k"), True),
    "keys of other types": (_join("l.t >= e.t", "ON bigint(l.k) = e.k + 1"), True),
    "a filter of the right rows": (_join("l.t >= e.t", "ON l.k = e.k AND e.v > 3"), True),
    "a filter below": (_join("l.t >= e.t", right="(SELECT * FROM e WHERE v < 5) e"), True),
    "a tolerance": (_join("l.t >= e.t", "ON l.k = e.k AND e.t >= l.t - 3"), True),
    "computed times": (_join("l.t * 2 >= e.t + 1"), True),
    "times of other types": (_join("bigint(l.t) >= e.t"), True),
    "doubles": (_join("l.d >= e.d"), True),
    "strings": (_join("l.s > e.s"), True),
    "strings, forward": (_join("l.s <= e.s", kind="ASOF JOIN"), True),
    "booleans": (_join("(l.x > 4) >= (e.v > 4)"), True),
    "a constant": (_join("l.t >= 3"), None),
    "dates": (_join("DATE'1970-01-05' + l.t >= DATE'1970-01-05' + e.t"), True),
    "timestamps and dates": (_join("timestamp_seconds(l.t * 86400) >= DATE'1970-01-01' + e.t"), True),
    "ON FALSE": (_join("l.t >= e.t", "ON false"), None),
    "ON TRUE": (_join("l.t >= e.t", "ON true"), True),
    "a filter of the left rows": (_join("l.t >= e.t", "ON l.k = e.k AND l.x > 4"), None),
    "a condition on both": (_join("l.t >= e.t", "ON l.k = e.k AND l.x > e.v"), None),
    "a disjunction": (_join("l.t >= e.t", "ON l.k = e.k OR l.s = e.s"), None),
    "structs": (_join("struct(l.t, l.x) >= struct(e.t, e.v)"), None),
    "arrays": (_join("array(l.t, l.x) >= array(e.t, e.v)"), None),
    "two of them": (
        "SELECT l.id, a.n, b.n FROM l LEFT ASOF JOIN e a MATCH_CONDITION (l.t >= a.t) ON l.k = a.k"
        " ASOF JOIN e b MATCH_CONDITION (l.t < b.t) ON l.k = b.k",
        True,
    ),
    "above it": (
        f"SELECT s, count(n), sum(v), max(id) FROM ({_join('l.t >= e.t').replace('l.*, e.*', 'l.id, l.s, e.v, e.n')})"
        " WHERE id > 3 GROUP BY s",
        True,
    ),
    "of itself": ("SELECT a.n, b.n FROM e a LEFT ASOF JOIN e b MATCH_CONDITION (a.t > b.t) ON a.k = b.k", True),
}


def check(spark: SparkSession, frame: Callable[[], DataFrame], runs: bool | None) -> None:
    on = frame()
    found = sorted(map(repr, on.collect()))
    operators = re.findall(r"\b(?:AsOfJoin|WindowJoin) ", plan(on))
    assert runs is None or bool(operators) == runs, plan(on)
    with settings(spark, {"spark.slidewise.enabled": "false"}):
        off = frame()
        expected = sorted(map(repr, off.collect()))
    assert on.schema == off.schema
    assert found == expected, plan(on)


@needs_spark("4.3", "no ASOF JOIN")
@pytest.mark.parametrize("what", QUERIES)
def test_sql(spark: SparkSession, what: str) -> None:
    sql, runs = QUERIES[what]
    check(spark, lambda: spark.sql(sql), runs)


@needs_spark("4.3", "no ASOF JOIN")
@pytest.mark.parametrize("match", ["l.t = e.t", "l.t >= l.x", "rand() >= e.t", "l.s >= map(e.k, e.t)"])
def test_errors(spark: SparkSession, match: str) -> None:
    errors = []
    for enabled in ("true", "false"):
        with settings(spark, {"spark.slidewise.enabled": enabled}), pytest.raises(Exception, match=r"\[") as raised:
            spark.sql(_join(match)).collect()
        errors.append(re.sub(r"#\d+", "#", str(raised.value).split("\n")[0]))
    assert errors[0] == errors[1]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("direction", "tolerance"), [("backward", None), ("forward", 2), ("nearest", 3)])
def test_data_frames(spark: SparkSession, direction: str, tolerance: int | None, exact: bool) -> None:
    def joined() -> DataFrame:
        left, right = spark.table("l"), spark.table("e")
        if direction == "nearest":  # no two right rows are equally near
            left = left.withColumn("t", left.t * 2)
            right = right.withColumn("t", right.t * 4 + 1)
        right = right.groupBy("k", "t").agg(sf.max("n").alias("n"))
        return left._joinAsOf(
            right,
            leftAsOfColumn=left.t,
            rightAsOfColumn=right.t,
            on=left.k == right.k,
            how="left" if exact else "inner",
            tolerance=None if tolerance is None else sf.lit(tolerance),
            allowExactMatches=exact,
            direction=direction,
        )

    check(spark, joined, True)


@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
def test_further_conditions_on_the_time(spark: SparkSession, direction: str) -> None:
    def joined(condition: Callable[[DataFrame, DataFrame], Any]) -> DataFrame:
        left, right = spark.table("l"), spark.table("e")
        left = left.withColumn("t", left.t * 2)
        right = right.withColumn("t", right.t * 4 + 1).groupBy("k", "t").agg(sf.max("n").alias("n"))
        return left._joinAsOf(
            right,
            leftAsOfColumn=left.t,
            rightAsOfColumn=right.t,
            on=(left.k == right.k) & condition(left, right),
            how="left",
            tolerance=sf.lit(20),
            allowExactMatches=True,
            direction=direction,
        )

    for condition in (
        lambda a, b: b.t >= a.x * 6,
        lambda a, b: b.t <= a.x * 6,
        lambda a, b: b.t == a.x * 4 + 1,
        lambda a, b: (b.t > a.x * 4) & (a.x * 9 > b.t),
    ):
        check(spark, lambda condition=condition: joined(condition), None)
