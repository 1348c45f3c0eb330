"""`CALL slidewise.refresh` in SQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from session import settings
from sparks import SPARK

pytestmark = pytest.mark.skipif(SPARK < (4, 0), reason="Spark has procedures since 4.0")

QUERY = """SELECT id, id % 2 AS p, ts,
  sum(x) OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL 5 HOURS PRECEDING) AS v FROM pay"""
ROWS = """SELECT id, id % 3 AS k, timestamp_seconds(id * 3600) AS ts, CAST(timestamp_seconds(id * 3600) AS DATE) AS day,
  id AS x"""
CATALOG = {"spark.sql.catalog.slidewise": "org.slidewise.spark.SlidewiseCatalog"}


@pytest.fixture(autouse=True)
def called(spark: SparkSession) -> Iterator[None]:
    spark.sql(f"{ROWS} FROM range(90)").createOrReplaceTempView("pay")
    spark.sql(QUERY).write.partitionBy("p").saveAsTable("called")
    spark.sql(f"{ROWS} FROM range(100)").createOrReplaceTempView("pay")
    with settings(spark, CATALOG):
        yield
    spark.sql("DROP TABLE called")


def call(spark: SparkSession, more: str, keys: str = "array('id')") -> list[tuple[object, ...]]:
    sql = f"CALL slidewise.refresh(query => '{QUERY}', target => 'called', keys => {keys}{more})"
    return [tuple(row) for row in spark.sql(sql).collect()]


NEW = "changes => 'SELECT * FROM pay WHERE id >= 90'"


@pytest.mark.parametrize("more", ["", ", table => 'pay'", ", generated => map('day', 'CAST(ts AS DATE)')"])
def test_refreshes(spark: SparkSession, more: str) -> None:
    assert call(spark, f", {NEW}{more}") == [(False, 10, 0, 0)]
    found, expected = spark.table("called"), spark.sql(QUERY)
    assert sorted(found.select(expected.columns).collect()) == sorted(expected.collect())
    assert call(spark, f", {NEW}{more}") == [(False, 0, 0, 0)]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("", "no changes are given. Allowed: one of changes, since and changes_of"),
        (f", {NEW}, since => 3", "more than one of changes, since and changes_of is given"),
        (f", {NEW}, changes_of => map('pay', 'TABLE pay')", "more than one of changes, since and changes_of is given"),
        (", changes_of => map('nosuch', 'TABLE pay')", "the query does not read the table nosuch"),
        (", since => 3", "since is given without table"),
        (", since => 3, table => 'pay'", "pay is no table of Delta Lake or Iceberg"),
        (f", {NEW}, generated => map('nosuch', 'id')", "the generated column nosuch is no column of its table"),
    ],
)
def test_refusals(spark: SparkSession, more: str, message: str) -> None:
    with pytest.raises(Exception, match="SLIDEWISE_REFRESH_REFUSED") as raised:
        call(spark, more)
    assert message in str(raised.value)


def test_no_keys_and_no_procedure(spark: SparkSession) -> None:
    with pytest.raises(Exception, match="keys is empty"):
        call(spark, f", {NEW}", keys="CAST(array() AS ARRAY<STRING>)")
    with pytest.raises(Exception, match="FAILED_TO_LOAD_ROUTINE"):
        spark.sql("CALL slidewise.nosuch()")
