"""How a test that `make fuzz` wrote compares Slidewise with Spark."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plans import plan
from pyspark.sql import SparkSession
from session import settings

Rows = Sequence[tuple[Any, ...]]


@contextmanager
def view(spark: SparkSession, name: str, rows: Rows, columns: str, storage: str, folder: Path) -> Iterator[None]:
    """The rows as a view, from memory ("local"), a file ("parquet") or Spark's cache ("cached")."""
    frame = spark.createDataFrame(rows, columns).coalesce(1)
    if storage != "local":
        frame.write.parquet(str(folder / name))
        frame = spark.read.parquet(str(folder / name))
    frame.createOrReplaceTempView(name)
    if storage == "cached":
        spark.catalog.cacheTable(name)
    try:
        yield
    finally:
        if storage == "cached":
            spark.catalog.uncacheTable(name)


def assert_same_answer(spark: SparkSession, values: dict[str, str], query: str, operator: str) -> None:
    """Fails unless Slidewise runs the query, and answers or fails as Spark does."""
    with settings(spark, values):
        on, off = (_answer(spark, query, operator, enabled) for enabled in (True, False))
    if isinstance(on, Exception) or isinstance(off, Exception):
        assert type(on) is type(off), f"{on!r} instead of {off!r}"
    else:
        _assert_equal(on, off)


def assert_answer(spark: SparkSession, values: dict[str, str], query: str, operator: str, expected: Rows) -> None:
    """Fails unless Slidewise runs the query, and returns these rows in any order."""
    with settings(spark, values):
        found = _answer(spark, query, operator, enabled=True)
    assert not isinstance(found, Exception), found
    _assert_equal(found, expected)


def _answer(spark: SparkSession, query: str, operator: str, enabled: bool) -> Rows | Exception:
    with settings(spark, {"spark.slidewise.enabled": str(enabled).lower()}):
        try:
            frame = spark.sql(query)
            rows = [tuple(row) for row in frame.collect()]
        except Exception as error:
            return error
        assert (operator in plan(frame)) == enabled, plan(frame)
        return rows


def _assert_equal(found: Rows, expected: Rows) -> None:
    assert len(found) == len(expected)
    for mine, theirs in zip(sorted(found, key=repr), sorted(expected, key=repr), strict=True):
        assert _same(mine, theirs), f"{mine} instead of {theirs}"


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return bool(a == b)
