"""A refresh that fails changes nothing, and keeps no lock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from session import settings

import slidewise

_DAY = "PARTITION BY k ORDER BY ts RANGE INTERVAL 1 DAY PRECEDING"
QUERY = f"SELECT id, k, ts, id % 4 AS p, sum(100 DIV x) OVER ({_DAY}) AS v FROM pay"
TARGET = "in_one_transaction"


def pay(spark: SparkSession, rows: int, x: str = "id + 1") -> DataFrame:
    return spark.sql(f"SELECT id, id % 3 AS k, timestamp_seconds(id * 3600) AS ts, {x} AS x FROM range({rows})")


@pytest.fixture(autouse=True)
def stored(spark: SparkSession) -> Iterator[None]:
    pay(spark, 400).createOrReplaceTempView("pay")
    spark.sql(QUERY).write.partitionBy("p").saveAsTable(TARGET)
    yield
    spark.sql(f"DROP TABLE {TARGET}")


def content(spark: SparkSession) -> list[str]:
    return sorted(map(repr, spark.table(TARGET).select("id", "k", "ts", "p", "v").collect()))


def folder(spark: SparkSession) -> Path:
    location = spark.sql(f"DESCRIBE EXTENDED {TARGET}").where("col_name = 'Location'").head().data_type
    return Path(location.removeprefix("file:"))


def day(spark: SparkSession, x: str = "id + 1") -> slidewise.Refresh:
    """A refresh after one more day."""
    rows = pay(spark, 424, x)
    rows.createOrReplaceTempView("pay")
    return slidewise.Refresh(spark.sql(QUERY), TARGET, keys="id", changes=rows.where("id >= 400"))


def test_a_query_that_fails(spark: SparkSession) -> None:
    before, files = content(spark), sorted(folder(spark).rglob("*.parquet"))
    with pytest.raises(PySparkException, match="DIVIDE_BY_ZERO"):
        day(spark, "id - 420").run()
    assert content(spark) == before
    assert sorted(folder(spark).rglob("*.parquet")) == files
    assert not list(folder(spark).glob("_slidewise*"))
    assert day(spark).run() == slidewise.Refreshed(False, 24, 0, 0)
    assert content(spark) == sorted(map(repr, spark.sql(QUERY).collect()))


def test_keys_that_identify_no_row(spark: SparkSession) -> None:
    before = content(spark)
    pay(spark, 424).createOrReplaceTempView("pay")
    refresh = slidewise.Refresh(spark.sql(QUERY), TARGET, keys="k", changes=spark.table("pay").where("id >= 400"))
    with pytest.raises(PySparkException, match="the keys do not identify one row"):
        refresh.run()
    assert content(spark) == before


@pytest.mark.parametrize("new", [3, 46])
def test_keys_that_identify_rows_only_among_the_changed_ones(spark: SparkSession, new: int) -> None:
    """Three rows have one identity. Only those of one `k` change, and all are in one partition."""
    query = f"SELECT id DIV 3 AS n, k, ts, 0 AS p, sum(x) OVER ({_DAY}) AS v FROM pay"
    pay(spark, 48).where("id <> 46").createOrReplaceTempView("pay")
    spark.sql(query).write.partitionBy("p").saveAsTable("twins")
    try:
        before = sorted(map(repr, spark.table("twins").collect()))
        rows = pay(spark, 48, f"IF(id = {new}, 1000, id + 1)").where(f"id <> 46 OR id = {new}")
        rows.createOrReplaceTempView("pay")
        with (
            settings(spark, {"spark.slidewise.refresh.maxShare": "1"}),
            pytest.raises(PySparkException, match="the keys do not identify one row"),
        ):
            slidewise.refresh(spark.sql(query), "twins", keys="n", changes=rows.where(f"id = {new}"))
        assert sorted(map(repr, spark.table("twins").collect())) == before
    finally:
        spark.sql("DROP TABLE twins")


def test_only_partitions_with_changed_rows_are_written(spark: SparkSession) -> None:
    before = set(folder(spark).rglob("*.parquet"))
    rows = pay(spark, 401)
    rows.createOrReplaceTempView("pay")
    done = slidewise.refresh(spark.sql(QUERY), TARGET, keys="id", changes=rows.where("id = 400"))
    assert done == slidewise.Refreshed(False, 1, 0, 0)
    kept = before & set(folder(spark).rglob("*.parquet"))
    assert {path.parent.name for path in before - kept} == {"p=0"}


def test_another_refresh_under_way(spark: SparkSession) -> None:
    lock = folder(spark) / "_slidewise_refresh" / "lock"
    lock.parent.mkdir()
    lock.write_text("another, since 2026-01-01")
    before = content(spark)
    with pytest.raises(slidewise.RefreshConflictError, match=r"another, since 2026-01-01.*delete .*lock"):
        day(spark).run()
    assert content(spark) == before
    lock.unlink()
    assert day(spark).run().inserted == 24


def test_no_changes(spark: SparkSession) -> None:
    before = sorted(folder(spark).rglob("*.parquet"))
    changes = spark.table("pay").limit(0)
    refresh = slidewise.Refresh(spark.sql(QUERY), TARGET, keys="id", changes=changes)
    assert refresh.plan().head().rows_to_read == 0
    assert refresh.run() == slidewise.Refreshed(False, 0, 0, 0)
    assert sorted(folder(spark).rglob("*.parquet")) == before


def test_what_is_read_and_why(spark: SparkSession) -> None:
    plan = slidewise.explain(day(spark)).head()
    assert (plan.whole, plan.keys, plan.reason) == (False, 3, None)
    # A day before the first new row, and a day before that: 24 and 24 hours.
    assert (plan.first, plan.rows_to_read, plan.rows_to_write) == ("1970-01-17 16:00:00", 48, 24)
    assert plan.share == pytest.approx(48 / 424)


def test_the_whole_query_where_all_results_may_change(spark: SparkSession) -> None:
    spark.sql("SELECT id, id % 4 AS p, count(*) OVER () AS n FROM pay").write.partitionBy("p").saveAsTable("counted")
    try:
        pay(spark, 401).createOrReplaceTempView("pay")
        query = spark.sql("SELECT id, id % 4 AS p, count(*) OVER () AS n FROM pay")
        refresh = slidewise.Refresh(query, "counted", keys="id", changes=spark.table("pay").where("id = 400"))
        plan = refresh.plan().head()
        assert (plan.whole, plan.reason) == (True, "results of all rows may change")
        assert refresh.run() == slidewise.Refreshed(True, 0, 0, 0)
        assert spark.table("counted").where("n = 401").count() == 401
    finally:
        spark.sql("DROP TABLE counted")
