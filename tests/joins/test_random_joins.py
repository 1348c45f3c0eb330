"""Each random query has one answer: with Slidewise, in Spark alone, by brute force, and in DuckDB if it can say it."""

from __future__ import annotations

import math
import os
import re
from decimal import Decimal
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from plans import plan
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType
from random_queries import RandomQueries, seed_or
from session import settings

from joins.alone import IN_SPARK
from joins.query import JoinQuery, Rows, Table, random_join_query

MINIMUM = int(os.environ.get("SLIDEWISE_JOIN_QUERIES", "2"))


def test_random_window_joins(spark: SparkSession, random_queries: RandomQueries) -> None:
    seed = seed_or(1)
    random_queries.ask_each(lambda index: check(spark, random_join_query(seed, index)), seed, MINIMUM)


@pytest.mark.long
def test_many_random_window_joins(spark: SparkSession, random_queries: RandomQueries) -> None:
    seed = seed_or(2)
    random_queries.ask_each(lambda index: check(spark, random_join_query(seed, index)), seed, max(MINIMUM, 2000))


def check(spark: SparkSession, query: JoinQuery) -> None:
    sizes = f"{len(query.left.rows)} and {len(query.right.rows)} rows of {query.left.columns}"
    described = f"{query.in_spark}\n{sizes}, {query.storage}, {query.settings}"
    with settings(spark, query.settings), TemporaryDirectory() as folder:
        for name, table in (("l", query.left), ("e", query.right)):
            _view(spark, name, table, query.storage, folder)
        try:
            _check(spark, query, described)
        finally:
            spark.catalog.clearCache()


def _view(spark: SparkSession, name: str, table: Table, storage: str, folder: str) -> None:
    schema = StructType.fromDDL(", ".join(f"{column} {kind}" for column, kind in table.columns.items()))
    # Times in the session's zone, whatever the zone of the process.
    rows = [tuple(row.values()) for row in table.rows]
    with settings(spark, {"spark.sql.session.timeZone": "UTC"}):
        frame = spark.createDataFrame(rows, schema)
    if storage == "files":
        frame.write.parquet(f"{folder}/{name}")
        frame = spark.read.parquet(f"{folder}/{name}")
    frame.createOrReplaceTempView(name)
    if storage == "cached":
        spark.catalog.cacheTable(name)


def _check(spark: SparkSession, query: JoinQuery, described: str) -> None:
    on = spark.sql(query.in_spark)
    answer = _rows(on)
    executed, *planned = plan(on).split("Initial Plan")
    operators = re.findall(r"\b(?:WindowJoin|AsOfJoin) ", executed)
    if not operators and "EmptyRelation" in executed:  # as adaptive execution found out when the query ran
        operators = re.findall(r"\b(?:WindowJoin|AsOfJoin) ", planned[0])
    assert operators, f"{described}\n{executed}"
    assert {operator == "AsOfJoin " for operator in operators} == {query.as_of}, f"{described}\n{executed}"
    if query.wrapper in ("plain", "filtered", "pruned"):
        assert len(operators) <= (2 if query.widens else 1), f"{described}\n{executed}"
    with settings(spark, IN_SPARK):
        off = spark.sql(query.in_spark)
        assert on.schema == off.schema, described
        _assert_same(answer, _rows(off), "Spark", described)
        assert "AsOfJoin" not in plan(off), described
    if expected := query.by_brute_force():
        _assert_same(answer, expected[0], "brute force", described)
    if query.in_duckdb:
        _assert_same(answer, _by_duckdb(query), "DuckDB", f"{described}\n{query.in_duckdb}", loosely=True)


def _rows(frame: Any) -> Rows:
    rows = frame.collect()
    found = {row[0]: tuple(row)[1:] for row in rows}
    assert len(found) == len(rows), "a row twice"
    return found


_ARROW = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "string": pa.string(),
    "date": pa.date32(),
    "double": pa.float64(),
    "float": pa.float32(),
    "smallint": pa.int16(),
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us"),
    "timestamp_ntz": pa.timestamp("us"),
}


def _arrow(kind: str) -> pa.DataType:
    if decimal := re.match(r"decimal\((\d+),(\d+)\)", kind):
        return pa.decimal128(int(decimal[1]), int(decimal[2]))
    return _ARROW[kind]


def _by_duckdb(query: JoinQuery) -> Rows:
    with duckdb.connect() as connection:
        for name, table in (("l", query.left), ("e", query.right)):
            columns = {
                column: pa.array([row[column] for row in table.rows], type=_arrow(kind))
                for column, kind in table.columns.items()
            }
            connection.register(name, pa.table(columns))
        return {row[0]: tuple(row)[1:] for row in connection.execute(query.in_duckdb or "").fetchall()}


def _assert_same(found: Rows, expected: Rows, whose: str, described: str, loosely: bool = False) -> None:
    assert found.keys() == expected.keys(), f"{whose} has other rows: {found.keys() ^ expected.keys()}\n{described}"
    wrong = [
        f"id {row}: {values} <> {expected[row]}"
        for row, values in sorted(found.items())
        if not all(_same(a, b, loosely) for a, b in zip(values, expected[row], strict=True))
    ]
    assert not wrong, "\n".join([f"Slidewise <> {whose}", *wrong[:5], described])


def _same(a: Any, b: Any, loosely: bool) -> bool:
    if b is ...:
        return True
    if isinstance(a, float) and isinstance(b, (int, float, Decimal)):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    if loosely and isinstance(a, Decimal):
        return a == Decimal(b)
    return bool(a == b)
