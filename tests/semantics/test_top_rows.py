"""The first rows of each key are those of Spark and of DuckDB, and are selected without a sort of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from cases import crossed
from plans import plan
from pyspark.sql import SparkSession
from session import settings

from semantics.conftest import rows

RANKS = ["row_number", "rank", "dense_rank"]
LIMITS = [1, 2, 5]
ORDERS = ["ASC", "DESC", "ASC NULLS LAST", "DESC NULLS FIRST"]

# Thousands of rows of 40 keys, one of which has half of them; ties and nulls. The types as Spark casts the number.
TYPES = {
    "int": "cast(v AS int)",
    "bigint": "v * 4611686018427387",
    "double": "CASE v % 50 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D ELSE v / 7D END",
    "decimal(10,2)": "cast(v AS decimal(10, 2)) / 4",
    "decimal(38,2)": "cast(v AS decimal(38, 2)) * cast('1000000000000000000000' AS decimal(38, 2))",
    "string": "concat(if(v % 2 = 0, 'a common prefix ', ''), v)",
    "timestamp": "timestamp_micros(v * 1000003)",
    "date": "date_add(DATE'2024-01-01', cast(v AS int))",
    "struct": "named_struct('a', v % 10, 'b', concat('x', v))",
    "array": "array(v % 10, v)",
}
KEYS = {
    "bigint": "k",
    "int": "cast(k AS int)",
    "double": "if(k = 1, -0.0D, if(k = 3, 0.0D, if(k = 5, double('NaN'), k / 3D)))",
    "decimal(38,2)": "cast(k AS decimal(38, 2))",
    "string": "concat('a key of some length ', k)",
    "struct": "named_struct('a', k, 'b', concat('x', k))",
    "two": "k % 5, concat('x', k)",
}

SOURCE = """
    SELECT id, if(h1 % 2 = 0, 7L, if(h1 % 80 = 79, NULL, h1 % 80)) AS k, if(h2 % 11 = 0, NULL, h2 % 400 - 200) AS v
    FROM (SELECT id, pmod(xxhash64(id, 1), 100000) AS h1, pmod(xxhash64(id, 2), 100000) AS h2 FROM range(0, 6000, 1, 3))
"""


@pytest.fixture(scope="module")
def source(spark: SparkSession) -> Iterator[str]:
    frame = spark.sql(SOURCE).cache()
    frame.createOrReplaceTempView("top_rows_source")
    yield "top_rows_source"
    frame.unpersist()


def top(source: str, rank: str, n: int, order: str, keys: str = "k") -> str:
    window = f"OVER (PARTITION BY {keys} ORDER BY {order})"
    return f"SELECT * FROM (SELECT id, {rank}() {window} AS n FROM {source}) WHERE n <= {n} ORDER BY id, n"


def ask(spark: SparkSession, sql: str, **changes: Any) -> list[tuple[Any, ...]]:
    """The rows with Slidewise, which are those without; all of them tasks that select."""
    with settings(spark, {"spark.slidewise.enabled": "false"} | changes):
        off = rows(spark.sql(sql))
    with settings(spark, changes):
        frame = spark.sql(sql)
        on = rows(frame)
        assert plan(frame).count("WindowTopRows") >= 2, plan(frame)
        assert "WindowGroupLimit" not in plan(frame)
    assert repr(on) == repr(off)
    return on


@pytest.mark.parametrize(("kind", "rank", "n", "order"), crossed(TYPES, RANKS, LIMITS, ORDERS))
def test_orders(spark: SparkSession, source: str, kind: str, rank: str, n: int, order: str) -> None:
    answer = ask(spark, top(source, rank, n, f"{TYPES[kind]} {order}"))
    assert len(answer) >= 40 * n if rank != "rank" else len(answer) >= 40


@pytest.mark.parametrize(("kind", "rank", "n"), crossed(KEYS, RANKS, LIMITS))
def test_keys(spark: SparkSession, source: str, kind: str, rank: str, n: int) -> None:
    assert ask(spark, top(source, rank, n, "v DESC", KEYS[kind]))


@pytest.mark.parametrize(("rank", "adaptive"), crossed(RANKS, [True, False]))
def test_adaptive_execution(spark: SparkSession, source: str, rank: str, adaptive: bool) -> None:
    ask(spark, top(source, rank, 2, "v"), **{"spark.sql.adaptive.enabled": adaptive})


@pytest.mark.parametrize(("rank", "n", "order"), crossed(RANKS, LIMITS, ["ASC NULLS FIRST", "DESC NULLS LAST"]))
def test_duckdb(spark: SparkSession, source: str, rank: str, n: int, order: str) -> None:
    # The last order column leaves no ties to row_number.
    sql = top("source", rank, n, f"v {order}" + (", id" if rank == "row_number" else ""))
    frame = spark.table(source).toPandas().astype({"k": "Int64", "v": "Int64"})
    with duckdb.connect() as connection:
        connection.register("source", frame)
        expected = connection.execute(sql).fetchall()
    assert ask(spark, sql.replace("FROM source", f"FROM {source}")) == expected


@pytest.mark.parametrize("rank", RANKS)
def test_several_order_columns(spark: SparkSession, source: str, rank: str) -> None:
    ask(spark, top(source, rank, 3, "v % 3 DESC, concat('x', v) NULLS LAST, id % 7"))


@pytest.mark.parametrize(("rank", "count"), crossed(RANKS, [0, 1]))
def test_few_rows(spark: SparkSession, rank: str, count: int) -> None:
    with settings(spark, {"spark.sql.optimizer.excludedRules": ""}):
        table = f"(SELECT id, id % 3 AS k, id AS v FROM range(100) WHERE rand(1) < 2 AND id < {count})"
        assert len(ask(spark, top(table, rank, 2, "v"))) == count


def test_other_functions_of_the_window(spark: SparkSession, source: str) -> None:
    answer = ask(
        spark,
        f"""SELECT * FROM (SELECT id, row_number() OVER w AS n, sum(v) OVER w2 AS s
                           FROM {source}
                           WINDOW w AS (PARTITION BY k ORDER BY v, id),
                                  w2 AS (PARTITION BY k ORDER BY v, id ROWS UNBOUNDED PRECEDING))
            WHERE n <= 3 ORDER BY id""",
    )
    assert len(answer) == 3 * 40


def test_many_keys_pass(spark: SparkSession) -> None:
    """Almost every key is new: the tasks stop to select, and no row is lost."""
    table = "(SELECT id, xxhash64(id) AS k, id AS v FROM range(0, 300000, 1, 2))"
    selected = top(table, "row_number", 1, "v")
    ((count, _),) = ask(spark, f"SELECT count(*), bit_xor(xxhash64(id, n)) FROM ({selected})")
    assert count == 300000


def test_a_key_in_all_tasks(spark: SparkSession) -> None:
    """Rows of one key, from several tasks, that tie: rank keeps them all."""
    table = "(SELECT id, id % 1 AS k, id % 2 AS v FROM range(0, 30000, 1, 4))"
    assert len(ask(spark, top(table, "rank", 1, "v"))) == 15000
    assert len(ask(spark, top(table, "dense_rank", 2, "v"))) == 30000


def test_explain(spark: SparkSession, source: str) -> None:
    import slidewise

    reported = slidewise.explain(spark.sql(top(source, "row_number", 1, "v DESC"))).collect()
    assert [r.reason.endswith("a filter limits their ranks") for r in reported] == [True]
