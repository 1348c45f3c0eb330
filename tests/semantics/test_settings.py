"""The switch, and the settings of Spark under which an operator must work."""

from __future__ import annotations

import pytest
from cases import crossed
from plans import plan
from pyspark.sql import SparkSession

from semantics.conftest import Ask, settings

SQL = """SELECT id, sum(x) OVER w, max_by(id, x) OVER w, collect_list(x) OVER w, count(*) FILTER (WHERE x > 50) OVER w,
           approx_count_distinct(x) OVER w, avg(d) OVER w, stddev_samp(x) OVER w IS NULL
         FROM (SELECT id, id % 3 AS p, id * 7 % 101 AS x, cast(id AS decimal(20, 2)) AS d FROM range(300))
         WINDOW w AS (PARTITION BY p ORDER BY id RANGE BETWEEN 9 PRECEDING AND 6 FOLLOWING) ORDER BY id"""


@pytest.mark.parametrize(
    ("adaptive", "whole_stage", "factory"),
    crossed([True, False], [False, True], ["FALLBACK", "CODEGEN_ONLY", "NO_CODEGEN"]),
)
def test_adaptive_or_not_compiled_or_interpreted(ask: Ask, adaptive: bool, whole_stage: bool, factory: str) -> None:
    answer = ask(SQL, adaptive_enabled=adaptive, codegen_wholeStage=whole_stage, codegen_factoryMode=factory)
    assert len(answer) == 300


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_any_number_of_tasks(ask: Ask, partitions: int) -> None:
    assert len(ask(SQL, shuffle_partitions=partitions)) == 300


def test_the_switch_is_heard_by_the_next_query(spark: SparkSession) -> None:
    for value in ("true", "false", "true"):
        spark.conf.set("spark.slidewise.enabled", value)
        assert ("SlidingWindow" in plan(spark.sql(SQL))) == (value == "true")
    spark.conf.unset("spark.slidewise.enabled")
    assert "SlidingWindow" in plan(spark.sql(SQL))


@pytest.mark.parametrize("size", ["1k", "64k", "16m"])
def test_an_answer_does_not_depend_on_the_memory_for_states(ask: Ask, spark: SparkSession, size: str) -> None:
    with settings(spark, {"spark.slidewise.state.maxSize": size}):
        assert len(ask(SQL)) == 300


@pytest.mark.parametrize("setting", ["enabled", "state.maxSize", "mergeApproximate"])
def test_a_setting_that_makes_no_sense_fails_no_query(spark: SparkSession, setting: str) -> None:
    with settings(spark, {f"spark.slidewise.{setting}": "a lot"}):
        assert len(spark.sql(SQL).collect()) == 300


def test_explain_names_the_operator_and_its_algorithm(spark: SparkSession) -> None:
    explained = spark._jvm.PythonSQLUtils.explainString(spark.sql(SQL)._jdf.queryExecution(), "simple")
    assert "SlidingWindow [two-stacks-lite" in explained


def test_formatted_and_extended_explain(spark: SparkSession) -> None:
    for mode in ("extended", "formatted", "cost"):
        assert "SlidingWindow" in spark._jvm.PythonSQLUtils.explainString(spark.sql(SQL)._jdf.queryExecution(), mode)
