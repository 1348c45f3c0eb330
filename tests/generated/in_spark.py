"""Runs a query's cases in Spark, with Slidewise on or off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType
from session import settings
from sparks import SPARK, condition_of

from generated.answer import Answer, Failure, Rows
from generated.query import Case, Query


@contextmanager
def ready(spark: SparkSession, query: Query, folder: Path) -> Iterator[None]:
    """The query's table and settings; the session is left as it was."""
    with settings(spark, query.settings):
        _view(spark, query, folder)
        try:
            yield
        finally:
            if query.storage == "cached":
                spark.catalog.uncacheTable("t")


def _view(spark: SparkSession, query: Query, folder: Path) -> None:
    if query.storage == "local":
        ddl = ", ".join(f"{c.name} {c.kind}" for c in query.table.columns.values())
        if SPARK < (4, 0):  # whose PySpark takes no Arrow table
            frame = spark.createDataFrame(query.table.arrow.to_pylist(), ddl)
        else:
            frame = spark.createDataFrame(query.table.arrow, StructType.fromDDL(ddl))
        frame.createOrReplaceTempView("t")
        return
    path = folder / f"{query.index}.parquet"
    pq.write_table(query.table.arrow, path)
    spark.read.parquet(str(path)).createOrReplaceTempView("t")
    if query.storage == "cached":
        spark.catalog.cacheTable("t")


def sql(cases: Sequence[Case]) -> str:
    return "SELECT id, " + ",\n  ".join(f"{c.spark} AS c{i}" for i, c in enumerate(cases)) + "\nFROM t"


def answer(spark: SparkSession, cases: Sequence[Case], slidewise: bool) -> Answer:
    return answer_to(spark, sql(cases), slidewise)


def answer_to(spark: SparkSession, query: str, slidewise: bool) -> Answer:
    """The answer to a query whose first column is the id."""
    with settings(spark, {"spark.slidewise.enabled": str(slidewise).lower()}):
        try:
            frame = spark.sql(query)
            rows = frame.collect()
        except PySparkException as error:
            kind = condition_of(error) or type(error).__name__
            return Failure(kind, str(error)[:2000], isinstance(error, AnalysisException))
        except Py4JJavaError as error:
            return Failure(_root(error.java_exception).getClass().getName(), str(error)[:2000], False)
        return Rows({row[0]: tuple(row)[1:] for row in rows}, frame._jdf.queryExecution().executedPlan().toString())


def _root(error: Any) -> Any:
    while error.getCause() is not None:
        error = error.getCause()
    return error


# A filter that lets nothing through leaves a null for the function.
NOT_FUNCTIONS = ("windowspecdefinition(",)
OWN = re.compile(r" AS c(\d+)#\d+$")


def left_to_spark(plan: str, cases: Sequence[Case]) -> list[str]:
    """The functions that Spark's own operator runs, except those of cases that Slidewise need not run."""
    left = []
    for line in plan.splitlines():
        # What adaptive execution found to be empty is not run at all.
        if re.search(r"(?<!\w)(?<!EmptyRelation )Window \[", line):
            expressions = re.findall(r"\w+\((?:(?! AS \w+#\d).)*? AS \w+#\d+", line)
            left += [e for e in expressions if not (e.startswith(NOT_FUNCTIONS) or _is_allowed(e, cases))]
    return left


def _is_allowed(expression: str, cases: Sequence[Case]) -> bool:
    case = OWN.search(expression)
    return case is not None and not cases[int(case[1])].taken
