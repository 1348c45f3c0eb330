"""DISTINCT aggregates, percentiles and modes over random frames, as in Spark's GROUP BY and windows, and in DuckDB."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession
from random_queries import RandomQueries

import slidewise
from generated import in_duckdb, in_groups, in_spark
from generated.answer import Answer, Failure, Rows, difference
from generated.multiset_query import MultisetCase, MultisetQuery, random_multiset_query
from generated.query import WITH_SLIDEWISE, Case

MINIMUM = int(os.environ.get("SLIDEWISE_MULTISET_QUERIES", "2"))


def test_random_multisets(spark: SparkSession, tmp_path: Path, seed: int, random_queries: RandomQueries) -> None:
    random_queries.ask_each(lambda index: check(spark, random_multiset_query(seed, index), tmp_path), seed, MINIMUM)


def check(spark: SparkSession, query: MultisetQuery, folder: Path) -> None:
    with in_spark.ready(spark, query, folder):
        if WITH_SLIDEWISE:
            _check_methods(spark, query)
        _compare(spark, query, query.cases)


def _check_methods(spark: SparkSession, query: MultisetQuery) -> None:
    cases = [case for case in query.multisets if case.kernel and case.taken]
    if cases:
        found = slidewise.explain(spark.sql(in_spark.sql(cases))).collect()
        assert found
        others = [row for row in found if row.algorithm != "sliding-multiset"]
        assert not others, _report(query, cases, f"by other algorithms: {others}")


def _compare(spark: SparkSession, query: MultisetQuery, cases: Sequence[Case]) -> None:
    """Compares Slidewise with Spark, and with DuckDB. Where a case fails, its error must be the same."""
    expected = expected_answer(spark, cases)
    found = in_spark.answer(spark, cases, slidewise=True) if WITH_SLIDEWISE else expected
    if isinstance(expected, Failure) or isinstance(found, Failure):
        if len(cases) > 1:
            for half in (cases[: len(cases) // 2], cases[len(cases) // 2 :]):
                _compare(spark, query, half)
            return
        assert isinstance(expected, Failure), _report(query, cases, f"only Slidewise fails: {found}")
        assert not expected.by_analysis, _report(query, cases, f"Spark refuses it: {expected.message}")
        assert isinstance(found, Failure), _report(query, cases, f"only Spark fails: {expected.message}")
        assert found.kind == expected.kind, _report(query, cases, f"{found.message}\ninstead of\n{expected.message}")
        return
    wrong = difference(cases, found, expected)
    assert wrong is None, _report(query, cases, f"Slidewise <> Spark: {wrong}")
    said = [i for i, case in enumerate(cases) if case.duckdb]
    if said:
        spoken = [cases[i] for i in said]
        mine = Rows({row: tuple(values[i] for i in said) for row, values in found.values.items()})
        wrong = difference(spoken, mine, in_duckdb.answer(query, spoken), loosely=True)
        assert wrong is None, _report(query, spoken, f"Slidewise <> DuckDB: {wrong}")


def expected_answer(spark: SparkSession, cases: Sequence[Case]) -> Answer:
    """The answer of Spark alone: in GROUP BY to what it refuses over frames, and over frames to the others."""
    refused = [case for case in cases if isinstance(case, MultisetCase) and case.grouped]
    others = [case for case in cases if case not in refused]
    answers = [in_groups.answer(spark, refused)] if refused else []
    answers += [in_spark.answer(spark, others, slidewise=False)] if others else []
    for answer in answers:
        if isinstance(answer, Failure):
            return answer
    found = [answer.values for answer in answers if isinstance(answer, Rows)]
    places = [[*refused, *others].index(case) for case in cases]
    rows = {row: [value for values in found for value in values[row]] for row in found[0]}
    return Rows({row: tuple(values[i] for i in places) for row, values in rows.items()})


def _report(query: MultisetQuery, cases: Sequence[Case], what: str) -> str:
    settings = "\n".join(f"  {key}={value}" for key, value in query.settings.items())
    sql = in_spark.sql(cases) if len(cases) < 4 else f"{len(cases)} expressions"
    return f"{what}\n{sql}\n{query.table.rows} rows, {query.storage}\n{settings}\n"
