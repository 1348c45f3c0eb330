"""Every random query has one answer: with Slidewise, without it, and in DuckDB where DuckDB can say it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession
from random_queries import RandomQueries

from generated import in_duckdb, in_spark
from generated.answer import Answer, Failure, Rows, difference
from generated.query import WITH_SLIDEWISE, Case, Query, random_query

MINIMUM = int(os.environ.get("SLIDEWISE_QUERIES", "2"))


def test_random_queries(spark: SparkSession, tmp_path: Path, seed: int, random_queries: RandomQueries) -> None:
    random_queries.ask_each(lambda index: check(spark, random_query(seed, index), tmp_path), seed, MINIMUM)


def check(spark: SparkSession, query: Query, folder: Path) -> None:
    with in_spark.ready(spark, query, folder):
        _compare(spark, query, query.cases)


def _compare(spark: SparkSession, query: Query, cases: Sequence[Case]) -> None:
    off = in_spark.answer(spark, cases, slidewise=False)
    if isinstance(off, Failure) and len(cases) > 1:
        # Which of several failing expressions is heard first is nobody's promise: compare them one by one.
        for half in (cases[: len(cases) // 2], cases[len(cases) // 2 :]):
            _compare(spark, query, half)
        return
    if isinstance(off, Failure):
        assert not off.by_analysis, f"the generator made a query that Spark refuses: {off.message}"
    if WITH_SLIDEWISE:
        _with_slidewise(spark, query, cases, off)
    if isinstance(off, Rows):
        _with_duckdb(query, cases, off)


def _with_slidewise(spark: SparkSession, query: Query, cases: Sequence[Case], off: Answer) -> None:
    on = in_spark.answer(spark, cases, slidewise=True)
    if isinstance(off, Failure):
        assert isinstance(on, Failure), _report(query, cases, f"only Spark fails: {off.message}")
        assert on.kind == off.kind, _report(query, cases, f"{on.message}\ninstead of\n{off.message}")
        return
    if isinstance(on, Failure) and len(cases) > 1:
        for half in (cases[: len(cases) // 2], cases[len(cases) // 2 :]):
            _compare(spark, query, half)
    assert isinstance(on, Rows), _report(query, cases, f"only Slidewise fails: {on}")
    wrong = difference(cases, on, off)
    assert wrong is None, _report(query, cases, f"Slidewise <> Spark: {wrong}")
    left = in_spark.left_to_spark(on.plan, cases)
    assert not left, _report(query, cases, f"left to Spark: {left}")
    # Of an empty table nothing is left to run.
    if query.table.rows and any(case.taken for case in cases):
        assert "SlidingWindow" in on.plan, _report(query, cases, f"no SlidingWindow in\n{on.plan}")


def _with_duckdb(query: Query, cases: Sequence[Case], off: Rows) -> None:
    said = [i for i, case in enumerate(cases) if case.duckdb]
    if said:
        spoken = [cases[i] for i in said]
        spark = Rows({row: tuple(values[i] for i in said) for row, values in off.values.items()})
        wrong = difference(spoken, spark, in_duckdb.answer(query, spoken), loosely=True)
        assert wrong is None, _report(query, spoken, f"Spark <> DuckDB: {wrong}")


def _report(query: Query, cases: Sequence[Case], what: str) -> str:
    settings = "\n".join(f"  {key}={value}" for key, value in query.settings.items())
    sql = in_spark.sql(cases) if len(cases) < 4 else f"{len(cases)} expressions"
    return f"{what}\n{sql}\n{query.table.rows} rows, {query.storage}\n{settings}\n"
