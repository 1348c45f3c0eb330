"""Aggregators in GROUP BY: partial aggregation, and the same answers as the SQL aggregate that means the same."""

from __future__ import annotations

import pytest
from plans import plan
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.functions import PandasUDFType, pandas_udf
from sparks import needs_spark

import slidewise
from aggregators.classes import InPlace, Longest, Mean, MeanInBatches, Words


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    frame = spark.range(0, 25_000, 1, 3).selectExpr(
        "id",
        "id % 7 AS k",
        "if(id % 3 = 0, 0.0D, -0.0D) AS zero",
        "if(id % 11 = 0, NULL, cast(hash(id) % 100 AS double)) AS x",
        "if(id % 13 = 0, NULL, hash(id, 3) % 1000000007) AS n",
    )
    frame.createOrReplaceTempView("aggregators_groups")
    return frame.cache()


MEANS = [Mean(), MeanInBatches()]


@pytest.mark.parametrize("mean", MEANS, ids=["rows", "batches"])
@pytest.mark.parametrize("keys", [["k"], ["k", "id"], ["zero"], []], ids=str)
def test_groups(rows, keys, mean):
    found = rows.groupBy(*keys).agg(
        slidewise.udaf(mean)("x").alias("mean"), slidewise.udaf(Longest())("n", "id").alias("longest")
    )
    text = plan(found)
    assert "PythonPartialAggregate" in text
    assert "PythonFinalAggregate" in text
    expected = rows.groupBy(*keys).agg(sf.avg("x").alias("mean"), sf.expr("max(n * id)").alias("longest"))
    mine, theirs = (sorted(frame.collect(), key=str) for frame in (found, expected))
    if keys == ["k", "id"]:
        assert mine == theirs
    else:
        assert [row[:-2] + row[-1:] for row in mine] == [row[:-2] + row[-1:] for row in theirs]
        assert [row.mean for row in mine] == pytest.approx([row.mean for row in theirs])


def test_buffers_of_lists(rows):
    found = rows.groupBy("k").agg(slidewise.udaf(InPlace())("n").alias("all")).collect()
    expected = rows.groupBy("k").agg(sf.collect_list("n").alias("all")).collect()
    assert {row.k: sorted(row.all) for row in found} == {row.k: sorted(row.all) for row in expected}


@pytest.mark.parametrize("mean", MEANS, ids=["rows", "batches"])
def test_no_rows(rows, mean):
    none = rows.where("id < 0")
    assert none.agg(slidewise.udaf(mean)("x")).collect() == [(None,)]
    assert none.groupBy("k").agg(slidewise.udaf(mean)("x")).collect() == []


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_the_number_of_partitions_does_not_matter(rows, partitions):
    found = rows.repartition(partitions).groupBy("k").agg(slidewise.udaf(Longest())("n", "id").alias("found"))
    expected = rows.groupBy("k").agg(sf.expr("max(n * id)"))
    assert sorted(found.collect()) == sorted(expected.collect())


def test_expressions_around_aggregators(spark, rows):
    slidewise.register(spark, "py_mean", Mean())
    sql = (
        "SELECT k + 1 AS k, round({0}(x * 2), 6) AS m FROM aggregators_groups GROUP BY k HAVING {0}(x) > -1 ORDER BY k"
    )
    assert spark.sql(sql.format("py_mean")).collect() == spark.sql(sql.format("avg")).collect()


@needs_spark("4.0", "no named arguments of Python functions")
@pytest.mark.parametrize("mean", MEANS, ids=["rows", "batches"])
def test_filter(rows, mean):
    found = rows.groupBy("k").agg(slidewise.udaf(mean)("x", filter=sf.col("n") > 0).alias("mean"))
    expected = rows.groupBy("k").agg(sf.expr("avg(x) FILTER (WHERE n > 0)").alias("mean"))
    assert [r.mean for r in sorted(found.collect())] == pytest.approx([r.mean for r in sorted(expected.collect())])


@needs_spark("4.0", "no named arguments of Python functions")
def test_the_filter_clause(spark, rows):
    slidewise.register(spark, "py_mean", Mean())
    called = "FROM aggregators_groups GROUP BY k HAVING {0}(x) FILTER (WHERE n > 1) > -1 ORDER BY k"
    queries = [
        "SELECT k, round({0}(x) FILTER (WHERE n > 0), 6) AS m " + called,
        "WITH t AS (SELECT k, round({0}(x) FILTER (WHERE n > 0), 6) AS m " + called + ") SELECT * FROM t",
        "SELECT k FROM aggregators_groups WHERE x > (SELECT {0}(x) FILTER (WHERE n > 0) FROM aggregators_groups) "
        "ORDER BY ALL",
    ]
    for sql in queries:
        assert spark.sql(sql.format("py_mean")).collect() == spark.sql(sql.format("avg")).collect()


@needs_spark("4.0", "no named arguments of Python functions")
def test_the_filter_clause_of_other_functions_is_refused_as_by_spark(spark, rows):
    spark.udf.register("plain", pandas_udf(lambda x: x.mean(), "double", PandasUDFType.GROUPED_AGG))
    slidewise.register(spark, "py_mean", Mean())
    with pytest.raises(AnalysisException, match=r"(?i)filter"):
        spark.sql("SELECT plain(x) FILTER (WHERE n > 0) FROM aggregators_groups")
    spark.conf.set("spark.slidewise.enabled", "false")
    try:
        with pytest.raises(AnalysisException, match=r"(?i)filter"):
            spark.sql("SELECT py_mean(x) FILTER (WHERE n > 0) FROM aggregators_groups")
    finally:
        spark.conf.unset("spark.slidewise.enabled")


def test_aggregates_after_windows(rows):
    inner = rows.groupBy("k").agg(slidewise.udaf(Mean())("x").alias("mean"))
    outer = inner.agg(slidewise.udaf(Words())(sf.expr("cast(k AS string)")).alias("all"))
    assert sorted(outer.collect()[0].all) == list("0123456")


def test_off_is_the_same(spark, rows):
    def asked() -> DataFrame:
        return rows.groupBy("k").agg(slidewise.udaf(Longest())("n", "id").alias("found"))

    on = sorted(asked().collect())
    spark.conf.set("spark.slidewise.enabled", "false")
    try:
        assert "PythonPartialAggregate" not in plan(asked())
        assert sorted(asked().collect()) == on
    finally:
        spark.conf.unset("spark.slidewise.enabled")
