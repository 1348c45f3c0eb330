"""What Slidewise does not take, Spark runs, and the answer is the same."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from plans import plan
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.window import Window

import slidewise
from semantics.conftest import Fails


def test_a_python_aggregate(spark: SparkSession) -> None:
    def mean(values: Any) -> float:
        return float(values.mean())

    mean.__annotations__ = {"values": pd.Series, "return": float}
    moving = Window.orderBy("id").rowsBetween(-2, 0)
    python = sf.pandas_udf(mean, "double")
    frame = spark.range(6).select("id", python("id").over(moving).alias("m"), sf.sum("id").over(Window.orderBy("id")))
    assert [row.m for row in frame.orderBy("id").collect()] == [0.0, 0.5, 1.0, 2.0, 3.0, 4.0]
    reasons = [row.reason for row in slidewise.explain(frame).collect()]
    assert (
        reasons[0] == "mean runs in Python, which cannot merge partial aggregates: write it as a slidewise.Aggregator"
    )


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("sum(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING)", "DATATYPE_MISMATCH"),
        ("sum(id) OVER (ORDER BY s RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)", "DATATYPE_MISMATCH"),
        ("sum(id) OVER (ROWS BETWEEN 1 PRECEDING AND nothing)", ""),
        ("percentile_approx(id, 2.0) OVER (ORDER BY id ROWS 1 PRECEDING)", "DATATYPE_MISMATCH"),
    ],
)
def test_what_spark_refuses_is_refused_alike(fails: Fails, sql: str, condition: str) -> None:
    assert condition in fails(f"SELECT {sql} FROM (SELECT id, cast(id AS string) AS s FROM range(3))")


@pytest.mark.parametrize(
    "failing",
    [
        "sum(1 div (id - 50)) OVER (ORDER BY id ROWS 3 PRECEDING)",
        "max(cast(if(id = 50, 'x', '1') AS int)) OVER (ORDER BY id ROWS 3 PRECEDING)",
        "count(*) FILTER (WHERE raise_error('no') IS NULL) OVER (ORDER BY id ROWS 3 PRECEDING)",
        "sum(id) OVER (ORDER BY assert_true(id < 50), id ROWS 3 PRECEDING)",
    ],
)
def test_an_error_in_an_argument_a_filter_or_a_key(fails: Fails, failing: str) -> None:
    fails(f"SELECT {failing} FROM range(100)")


def test_an_argument_of_a_row_that_is_in_no_frame(fails: Fails) -> None:
    sql = "SELECT id, sum(1 div id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM range(5)"
    assert fails(sql) == "DIVIDE_BY_ZERO"


def test_arguments_that_are_not_deterministic(spark: SparkSession) -> None:
    frame = spark.sql("SELECT sum(rand(7)) OVER (ORDER BY id ROWS 2 PRECEDING) AS s FROM range(20)")
    assert all(0 < row.s < 3 for row in frame.collect())
    assert "Window" in plan(frame)
