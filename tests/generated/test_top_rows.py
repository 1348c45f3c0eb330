"""The first rows of each key by a random order: with Slidewise, without it, and in DuckDB where DuckDB can say it."""

from __future__ import annotations

import os
from pathlib import Path

from pyspark.sql import SparkSession
from random_queries import RandomQueries

from generated import in_duckdb, in_spark
from generated.answer import Rows
from generated.top_rows_query import TopRowsQuery, random_top_rows_query

MINIMUM = int(os.environ.get("SLIDEWISE_QUERIES", "2"))


def test_random_top_rows(spark: SparkSession, tmp_path: Path, seed: int, random_queries: RandomQueries) -> None:
    random_queries.ask_each(lambda index: check(spark, random_top_rows_query(seed, index), tmp_path), seed, MINIMUM)


def check(spark: SparkSession, asked: TopRowsQuery, folder: Path) -> None:
    query = asked.query
    with in_spark.ready(spark, query, folder):
        on, off = (in_spark.answer_to(spark, asked.spark, slidewise) for slidewise in (True, False))
    described = f"{asked.spark}\n{query.table.rows} rows, {query.storage}, {query.settings}"
    assert isinstance(off, Rows), f"{off}\n{described}"
    assert isinstance(on, Rows), f"{on}\n{described}"
    assert on.values == off.values, described
    # Spark limits no table that has as few rows.
    limited = "WindowGroupLimit" in off.plan
    assert ("WindowTopRows" in on.plan) == (limited and asked.keyed), f"{described}\n{on.plan}"
    if asked.duckdb:
        assert off.values == in_duckdb.answer_to(query, asked.duckdb).values, described
