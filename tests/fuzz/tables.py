"""The random queries over tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from generated import in_spark, test_hopping_windows, test_multisets, test_same_answers
from generated.answer import Rows
from generated.hopping_query import HoppingQuery, random_hopping_query
from generated.multiset_query import MultisetQuery, random_multiset_query
from generated.query import Query, random_query
from generated.table import Table
from pyspark.sql import SparkSession

from fuzz.kind import SETTINGS, Kind, list_of
from fuzz.shrink import Part
from fuzz.test_file import TableExample


def _with_rows(query: Query, rows: Sequence[Any]) -> Query:
    columns = {
        name: dataclasses.replace(column, values=[column.values[row] for row in rows])
        for name, column in query.table.columns.items()
    }
    return dataclasses.replace(query, table=Table(columns, len(rows), query.table.extreme))


def _with_columns(query: Query, names: Sequence[Any]) -> Query:
    columns = {name: query.table.columns[name] for name in ("id", *names)}
    return dataclasses.replace(query, table=Table(columns, query.table.rows, query.table.extreme))


def _with_cases(query: Query, cases: Sequence[Any]) -> Query:
    if isinstance(query, MultisetQuery):
        multisets = [case for case in query.multisets if case in cases]
        return dataclasses.replace(query, cases=list(cases), multisets=multisets)
    return dataclasses.replace(query, cases=list(cases))


_OF_TABLES = (
    Part(lambda query: query.cases, _with_cases),
    Part(lambda query: list(range(query.table.rows)), _with_rows),
    SETTINGS,
    Part(lambda query: [name for name in query.table.columns if name != "id"], _with_columns),
)


def _condition(name: str) -> Part:
    return Part(
        lambda query: [] if getattr(query, name) is None else [getattr(query, name)],
        lambda query, kept: dataclasses.replace(query, **{name: kept[0] if kept else None}),
    )


_OF_HOPPING = (
    list_of("calls"),
    list_of("rows"),
    *(_condition(name) for name in ("least_x", "first_start", "least_count")),
    list_of("keys"),
    SETTINGS,
)


def _table_example(spark: SparkSession, query: Query, folder: Path) -> TableExample:
    columns = query.table.columns.values()
    return TableExample(
        view="t",
        columns=", ".join(f"{column.name} {column.kind}" for column in columns),
        rows=list(zip(*(column.values for column in columns), strict=True)),
        storage=query.storage,
        settings=query.settings,
        sql=in_spark.sql(query.cases),
        operator="SlidingWindow",
    )


def _multiset_example(spark: SparkSession, query: MultisetQuery, folder: Path) -> TableExample:
    """With the rows that GROUP BY gives, where Spark alone refuses the query."""
    with in_spark.ready(spark, query, folder):
        answer = test_multisets.expected_answer(spark, query.cases)
    known = sorted((row, *values) for row, values in answer.values.items()) if isinstance(answer, Rows) else None
    return dataclasses.replace(_table_example(spark, query, folder), expected=known)


def _hopping_example(spark: SparkSession, query: HoppingQuery, folder: Path) -> TableExample:
    return TableExample(
        view="hopping",
        columns=test_hopping_windows.columns(query),
        rows=test_hopping_windows.rows(query),
        storage="local",
        settings=query.settings,
        sql=query.sql,
        operator="HoppingWindow",
    )


def _check_hopping(spark: SparkSession, query: HoppingQuery, folder: Path) -> None:
    test_hopping_windows.check(spark, query)


KINDS = (
    Kind("windows", random_query, test_same_answers.check, _OF_TABLES, _table_example),
    Kind("multisets", random_multiset_query, test_multisets.check, _OF_TABLES, _multiset_example),
    Kind("hopping", random_hopping_query, _check_hopping, _OF_HOPPING, _hopping_example),
)
