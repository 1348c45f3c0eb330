"""Where a moving window may stand in a query."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from plans import plan
from pyspark.sql import SparkSession

from semantics.conftest import Ask

MOVING = "sum(x) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"


@pytest.fixture(autouse=True)
def numbers(spark: SparkSession) -> Iterator[None]:
    spark.sql("SELECT id, id % 3 AS p, id * id AS x FROM range(30)").createOrReplaceTempView("numbers")
    yield
    spark.catalog.dropTempView("numbers")


def test_in_a_subquery_a_cte_and_a_view(ask: Ask, spark: SparkSession) -> None:
    window = f"SELECT id, p, {MOVING} AS s FROM numbers"
    spark.sql(f"CREATE OR REPLACE TEMP VIEW sums AS {window}")
    one = ask(f"SELECT * FROM ({window}) WHERE s > 100 ORDER BY id")
    two = ask(f"WITH w AS ({window}) SELECT * FROM w WHERE s > 100 ORDER BY id")
    three = ask("SELECT * FROM sums WHERE s > 100 ORDER BY id")
    assert one == two == three
    assert len(one) > 10


def test_under_an_aggregate(ask: Ask) -> None:
    answer = ask(f"SELECT p, max(s), count(*) FROM (SELECT p, {MOVING} AS s FROM numbers) GROUP BY p ORDER BY p")
    assert [row[2] for row in answer] == [10, 10, 10]


def test_over_an_aggregate(ask: Ask) -> None:
    answer = ask("SELECT p, sum(sum(x)) OVER (ORDER BY p ROWS 1 PRECEDING) FROM numbers GROUP BY p ORDER BY p")
    assert len(answer) == 3


def test_after_another_window(ask: Ask) -> None:
    answer = ask(
        f"""SELECT id, avg(s) OVER (PARTITION BY p ORDER BY id DESC ROWS 3 PRECEDING)
            FROM (SELECT id, p, {MOVING} AS s FROM numbers) ORDER BY id"""
    )
    assert len(answer) == 30


def test_windows_of_three_orders_in_one_query(ask: Ask) -> None:
    answer = ask(
        f"""SELECT id, {MOVING}, max(x) OVER (ORDER BY x DESC ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING),
              count(*) OVER (PARTITION BY p ORDER BY x RANGE BETWEEN 50 PRECEDING AND 50 FOLLOWING)
            FROM numbers ORDER BY id"""
    )
    assert len(answer) == 30


@pytest.mark.parametrize("how", ["JOIN", "LEFT JOIN", "LEFT SEMI JOIN"])
def test_below_a_join(ask: Ask, how: str) -> None:
    answer = ask(
        f"SELECT l.* FROM (SELECT id, {MOVING} AS s FROM numbers) l {how} numbers r ON l.s = r.x ORDER BY 1, 2"
    )
    assert answer


def test_over_a_join(ask: Ask) -> None:
    answer = ask(
        """SELECT n.id, sum(n.x * m.x) OVER (ORDER BY n.id, m.id ROWS 5 PRECEDING)
           FROM numbers n JOIN numbers m ON n.p = m.p ORDER BY n.id, m.id"""
    )
    assert len(answer) == 300


def test_in_a_union_and_under_a_limit(ask: Ask) -> None:
    one = f"SELECT id, {MOVING} AS s FROM numbers"
    assert len(ask(f"({one}) UNION ALL ({one}) ORDER BY id, s")) == 60
    assert len(ask(f"{one} ORDER BY s DESC LIMIT 5")) == 5


def test_in_a_scalar_subquery_and_in_exists(ask: Ask) -> None:
    window = f"(SELECT id, {MOVING} AS s FROM numbers)"
    assert ask(f"SELECT (SELECT max(s) FROM {window} w), id FROM numbers ORDER BY id LIMIT 2")[1][1] == 1
    assert ask(f"SELECT id FROM numbers n WHERE EXISTS (SELECT 1 FROM {window} w WHERE w.s = n.x) ORDER BY id")


def test_in_an_expression(ask: Ask) -> None:
    answer = ask(f"SELECT id, 1 + 2 * {MOVING} - {MOVING.replace('sum', 'max')} FROM numbers ORDER BY id")
    assert answer[3] == (3, 10)


def test_over_a_cached_table(ask: Ask, spark: SparkSession) -> None:
    spark.catalog.cacheTable("numbers")
    try:
        assert len(ask(f"SELECT id, {MOVING} FROM numbers ORDER BY id")) == 30
    finally:
        spark.catalog.uncacheTable("numbers")


def test_into_a_cache_and_into_a_file(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.sql(f"SELECT id, {MOVING} AS s FROM numbers")
    frame.write.parquet(str(tmp_path / "out"))
    cached = frame.cache()
    try:
        assert "SlidingWindow" in plan(cached)
        written = spark.read.parquet(str(tmp_path / "out")).orderBy("id").collect()
        assert written == cached.orderBy("id").collect()
    finally:
        cached.unpersist()


def test_a_limit_that_stops_in_the_middle_of_a_partition(spark: SparkSession) -> None:
    # Memory that is not given back fails the task: spark.unsafe.exceptionOnMemoryLeak.
    frame = spark.sql(
        "SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 500 PRECEDING AND 500 FOLLOWING) FROM range(100000) LIMIT 3"
    )
    assert [row[0] for row in frame.collect()] == [125250, 125751, 126253]


def test_below_a_sort_merge_join_that_runs_out_early(spark: SparkSession) -> None:
    sql = """SELECT l.id, r.s FROM range(3) l JOIN
        (SELECT id, sum(id) OVER (PARTITION BY id % 2 ORDER BY id ROWS 99 PRECEDING) AS s FROM range(20000)) r
        ON l.id = r.id ORDER BY 1"""
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    try:
        frame = spark.sql(sql)
        assert [tuple(row) for row in frame.collect()] == [(0, 0), (1, 1), (2, 2)]
        assert "SlidingWindow" in plan(frame)
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
        spark.conf.unset("spark.sql.adaptive.enabled")
