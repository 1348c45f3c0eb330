"""Results over no rows in a subquery, of infinite values, and of values that hold for no time."""

from __future__ import annotations

import math

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from sparks import needs_spark


@pytest.mark.parametrize("call", ["approx_count_if(b.x > 1, 0.01)", "approx_sum(b.x, 10, 0.01)", "max_count(b.x)"])
def test_a_subquery_without_rows(spark: SparkSession, call: str) -> None:
    rows = "VALUES (1, 5), (1, 7) AS b(k, x)"
    found = spark.sql(f"SELECT a.k, (SELECT {call} FROM {rows} WHERE b.k = a.k) AS n FROM VALUES (1), (2) AS a(k)")
    assert {row.k: row.n for row in found.collect()}[2] == 0


def test_a_mean_of_an_infinite_value(spark: SparkSession) -> None:
    over = "OVER (ORDER BY i ROWS 1 PRECEDING)"
    rows = "VALUES (1, double('Infinity')), (2, 1.0D), (3, 2.0D) AS t(i, x)"
    found = spark.sql(f"SELECT ewma(x, 1.0D, false) {over} AS v FROM {rows} ORDER BY i").collect()
    assert [row.v for row in found] == [math.inf, 1.0, 2.0]


@pytest.mark.parametrize("value", ["Infinity", "NaN"])
def test_a_value_that_holds_for_no_time(spark: SparkSession, value: str) -> None:
    rows = f"VALUES (0, 0, double('{value}')), (0, 1, 5.0D), (10, 2, 7.0D) AS t(t, i, x)"
    over = "OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
    assert spark.sql(f"SELECT time_weighted_avg(t, x) {over} AS v FROM {rows}").first().v == 5.0


@needs_spark("4.0", "WITHIN GROUP of any function is of 4.0")
def test_an_order_that_does_not_exist(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException, match="INVALID_ORDERING_TYPE"):
        spark.sql("SELECT ewma(x, 0.5) WITHIN GROUP (ORDER BY map(1, x)) FROM VALUES (1), (2) AS t(x)")
