"""GROUP BY with windows that Spark evaluates, why, and what slidewise.explain says of the others."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from plans import plan
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from session import settings

import slidewise
from semantics.conftest import Ask, rows
from semantics.hopping import SHAPES, hopping

HOPS = "window(t, '1 hour', '7 minutes')"

LEFT = {
    f"SELECT {HOPS}, count(DISTINCT x) FROM hops GROUP BY 1": "DISTINCT",
    f"SELECT {HOPS}, count(DISTINCT x), sum(DISTINCT k) FROM hops GROUP BY 1": "expanded twice",
    f"SELECT window, k, sum(x) FROM hops GROUP BY {HOPS}, k WITH ROLLUP": "expanded twice",
    f"SELECT window, k, sum(x) FROM hops GROUP BY {HOPS}, k WITH CUBE": "expanded twice",
    f"SELECT window, k, sum(x) FROM hops GROUP BY {HOPS}, GROUPING SETS ((k), ())": "expanded twice",
    f"SELECT w, v, sum(x) FROM (SELECT *, {HOPS} AS w, {HOPS} AS v FROM hops) GROUP BY w, v": "a part of the window",
    f"SELECT w, max(w.end) FROM (SELECT {HOPS} AS w FROM hops) GROUP BY w": "read the window",
    f"SELECT {HOPS}, histogram_numeric(x, 9) IS NULL FROM hops GROUP BY 1": "could change the result",
}


@pytest.mark.parametrize("sql", LEFT)
def test_left_to_spark(spark: SparkSession, hops: Ask, sql: str) -> None:
    assert hops(sql, taken=False)
    reports = slidewise.explain(spark.sql(sql)).collect()
    assert [(report.slidewise, LEFT[sql] in report.reason) for report in reports] == [(False, True)] * len(reports)
    assert reports


@pytest.mark.parametrize(
    ("setting", "value", "call"),
    [
        ("spark.slidewise.neverMerge", "max, Sum", "sum(x)"),
        ("spark.slidewise.mergeApproximate", "false", "percentile_approx(x, 0.5)"),
    ],
)
def test_left_to_spark_by_a_setting(spark: SparkSession, hops: Ask, setting: str, value: str, call: str) -> None:
    sql = hopping(call, keys="k")
    assert "HoppingWindow" in plan(spark.sql(sql))
    with settings(spark, {setting: value}):
        assert hops(sql, taken=False)
        (report,) = slidewise.explain(spark.sql(sql)).collect()
        assert not report.slidewise
        assert setting in report.reason


def test_a_pandas_aggregate(spark: SparkSession, hops: Ask) -> None:
    def total(values: Any) -> float:
        return float(values.sum())

    total.__annotations__ = {"values": pd.Series, "return": float}
    python = sf.pandas_udf(total, "double")

    def frame() -> DataFrame:
        return spark.table("hops").groupBy(sf.window("t", "1 hour", "7 minutes"), "k").agg(python("x").alias("s"))

    assert hops(frame, taken=False)
    found = slidewise.explain(frame()).collect()
    assert [(row.slidewise, row.reason.split(" ", 1)[1]) for row in found] == [(False, "does not run in the JVM")]


def test_python_functions_of_keys_values_and_results(spark: SparkSession, hops: Ask) -> None:
    half = sf.udf(lambda v: None if v is None else v // 2, "bigint")

    def frame() -> DataFrame:
        groups = spark.table("hops").groupBy(sf.window("t", "1 hour", "7 minutes"), half("k").alias("h"))
        return groups.agg(sf.sum(half("x")).alias("s")).withColumn("half", half("s"))

    with settings(spark, {"spark.slidewise.enabled": "false"}):
        off = sorted(rows(frame()), key=repr)
    assert sorted(rows(frame()), key=repr) == off


def test_other_shapes_change_nothing(spark: SparkSession, hops: Ask) -> None:
    assert hops("SELECT window(t, '10 minutes'), count(*) FROM hops GROUP BY 1", taken=False)
    assert hops("SELECT window(t, '10 minutes', '10 minutes', '1 minute'), count(*) FROM hops GROUP BY 1", taken=False)
    assert hops("SELECT session_window(t, '10 minutes'), count(*) FROM hops GROUP BY 1", taken=False)
    assert hops("SELECT k, x, count(*) FROM hops GROUP BY CUBE (k, x)", taken=False)
    assert hops("SELECT window(t, '1 hour', '7 minutes').start, sum(x) FROM hops GROUP BY 1", taken=False)
    assert hops("SELECT id, window(t, '1 hour', '10 minutes') FROM hops", taken=False)


def test_explain(spark: SparkSession) -> None:
    sql = hopping("sum(x), approx_count_distinct(x), collect_list(x)", SHAPES["no multiple"], "k")
    reports = slidewise.explain(spark.sql(sql)).collect()
    assert [report.sql for report in reports] == [
        f"{call}(x) GROUP BY k, window(t, '1 hours', '7 minutes')"
        for call in ("sum", "approx_count_distinct", "collect_list")
    ]
    assert [report.algorithm for report in reports] == ["two-stacks-lite", "two-stacks-lite-sketches", "recalculation"]
    assert [report.reason is None for report in reports] == [True, True, False]
    with settings(spark, {"spark.slidewise.enabled": "false"}):
        assert [report.slidewise for report in slidewise.explain(spark.sql(sql)).collect()] in ([], [False] * 3)
