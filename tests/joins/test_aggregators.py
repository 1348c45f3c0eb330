"""Aggregators written in Python over another table, beside the SQL aggregates that mean the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from aggregators.classes import InPlace, Longest, Mean, MeanInBatches
from plans import plan
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sf
from session import settings
from sparks import SPARK_ERRORS, needs_spark

import slidewise
from joins.test_window_joins import LEFT, RANGE, RIGHT, E, L

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # Python workers do not find this file.

BOTH = "e.k = l.k AND e.ts BETWEEN l.lo AND l.hi"


@pytest.fixture(autouse=True, scope="module")
def tables(spark: SparkSession) -> Iterator[None]:
    spark.createDataFrame(LEFT, L).createOrReplaceTempView("l")
    spark.createDataFrame(RIGHT, E).createOrReplaceTempView("e")
    slidewise.register(spark, "py_mean", MeanInBatches())
    slidewise.register(spark, "py_list", InPlace())
    slidewise.register(spark, "py_longest", Longest())
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        yield


def _lateral(aggregates: str, condition: str = RANGE) -> str:
    return f"SELECT l.*, f.* FROM l LEFT JOIN LATERAL (SELECT {aggregates} FROM e WHERE {condition}) f ON true"


def _grouped(aggregates: str, join: str, left: str = "l", keys: str = "l.id, l.k, l.ts") -> str:
    return f"SELECT {keys}, {aggregates} FROM {left} {join} e ON {RANGE} GROUP BY {keys}"


# The SQL for {mean}, {list} and {longest}. A list is sorted, as rows at the same time are in no order.
PYTHON = {
    "mean": "py_mean(v)",
    "list": "sort_array(py_list(v))",
    "longest": "py_longest(v, e.ts)",
    "nulls": "sort_array(py_list(coalesce(v, -1)))",
}
SQL = {
    "mean": "avg(v)",
    "list": "sort_array(collect_list(v))",
    "longest": "max(v * e.ts)",
    "nulls": "sort_array(collect_list(coalesce(v, -1)))",
}
ALL = "{mean} AS a, {list} AS b, {longest} AS c"

FORMS = {
    "LATERAL": _lateral(ALL),
    "bounds that move back": _lateral(ALL, BOTH),
    "no keys": _lateral("{mean} AS a, {list} AS b", "e.ts < l.ts AND e.v > 3"),
    "a growing frame": _lateral(ALL, "e.k = l.k AND e.ts < l.ts"),
    "beside other aggregates": _lateral(ALL + ", count(*) AS n, max(s) AS s"),
    "scalar subqueries": (
        f"SELECT id, (SELECT {{mean}} FROM e WHERE {RANGE}),"
        " (SELECT {longest} FROM e WHERE e.k = l.k AND e.ts > l.ts) FROM l"
    ),
    "GROUP BY of a left join": _grouped(ALL + ", count(*), count(e.v)", "LEFT JOIN"),
    "GROUP BY of an inner join": _grouped(ALL + ", count(*)", "JOIN"),
    "GROUP BY of equal rows": _grouped(ALL, "LEFT JOIN", "(SELECT k, ts % 3 AS ts FROM l) l", "l.k, l.ts"),
    "counts with frames of their own": _grouped(
        "{nulls} AS b, count_if(e.ts >= l.lo) AS c, count_if(e.ts < l.lo) AS d",
        "LEFT JOIN",
        keys="l.id, l.k, l.ts, l.lo",
    ),
    "FILTER": _lateral("py_mean(v) FILTER (WHERE v > 3)").replace("py_mean(v)", "{mean}"),
}


SINCE = {"FILTER": needs_spark("4.0", "no named arguments of Python functions")}


@pytest.mark.parametrize("what", [pytest.param(what, marks=SINCE.get(what, ())) for what in FORMS])
def test_forms(spark: SparkSession, what: str) -> None:
    found = spark.sql(FORMS[what].format(**PYTHON))
    assert "PythonWindowJoin [python" in plan(found), plan(found)
    expected = spark.sql(FORMS[what].format(**SQL))
    mine, theirs = (sorted(map(_rounded, frame.collect()), key=repr) for frame in (found, expected))
    # Spark's value of a correlated aggregate over no rows is null, but for counts and collections.
    assert mine == theirs


def _rounded(row: tuple) -> tuple:
    return tuple(round(value, 9) if isinstance(value, float) else value or None for value in row)


def test_a_row_of_nulls_that_fails_is_computed_for_left_rows_without_others_only(spark: SparkSession) -> None:
    sql = (
        "SELECT p.id, py_mean(100 / coalesce(q.x, 0)) AS m FROM VALUES (1, 5), (2, 6) AS p(id, ts) LEFT JOIN "
        "(SELECT * FROM VALUES {rows} AS q(ts, x)) q ON q.ts < p.ts AND q.ts >= p.ts - 2 GROUP BY p.id, p.ts"
    )
    with settings(spark, {"spark.sql.ansi.enabled": "true"}):
        found = spark.sql(sql.format(rows="(4, 10), (4, 20)"))
        assert "PythonWindowJoin [python" in plan(found)
        assert {row.id: row.m for row in found.collect()} == {1: 7.5, 2: 7.5}
        with pytest.raises(SPARK_ERRORS, match="DIVIDE_BY_ZERO"):
            spark.sql(sql.format(rows="(3, 10), (3, 20)")).collect()


@needs_spark("4.0", "no lateralJoin of DataFrames")
def test_window_join(spark: SparkSession) -> None:
    def joined(mean: object, longest: object) -> DataFrame:
        frames = {n: Window.rangeBetween(-n, Window.currentRow) for n in (3, 9)}
        aggregates = {f"m{n}": (mean, frame) for n, frame in frames.items()} | {"w": (longest, frames[9])}
        return slidewise.window_join(spark.table("l"), spark.table("e"), aggregates, on="ts", by="k")

    found = joined(slidewise.udaf(Mean())("v"), sf.expr("py_longest(v, ts)"))
    assert plan(found).count("PythonWindowJoin [python") == 1, plan(found)
    expected = joined(sf.avg("v"), sf.expr("max(v * ts)"))
    assert sorted(map(_rounded, found.collect()), key=repr) == sorted(map(_rounded, expected.collect()), key=repr)
    assert {row.algorithm for row in slidewise.explain(found).collect()} == {"python-arrays", "python-two-stacks-lite"}


class Refuses(InPlace):
    def finish(self, buffer):
        if len(buffer[0]) > 3:
            raise ValueError("too many")
        return buffer[0]


def test_an_error_names_the_key(spark: SparkSession) -> None:
    slidewise.register(spark, "py_refuses", Refuses())
    with pytest.raises(SPARK_ERRORS, match=r"failed at row \d+ of its task, in the partition of l\.k = \d"):
        spark.sql(_lateral("py_refuses(v)")).collect()
