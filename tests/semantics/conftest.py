"""Asks one query with Slidewise on and off."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from plans import plan
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from session import settings
from sparks import condition_of, skip_if_lacking

from semantics.hopping import SOURCE
from semantics.sharing import TABLE, Sharing

Ask = Callable[..., list[tuple[Any, ...]]]
Fails = Callable[..., str]


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in frame.collect()]


@pytest.fixture
def ask(spark: SparkSession) -> Ask:
    """The rows of a query: those of Spark alone, which those with Slidewise must equal, in its order.

    `taken`: whether Slidewise must run a window. `whole`: whether Spark's operator must run none. Other keywords are
    settings, with `_` for `.` after `spark.sql.`
    """

    def asked(sql: str, taken: bool = True, whole: bool = False, **changes: Any) -> list[tuple[Any, ...]]:
        skip_if_lacking(sql)
        named = {f"spark.sql.{key.replace('_', '.')}": value for key, value in changes.items()}
        with settings(spark, {"spark.slidewise.enabled": "false"} | named):
            off = rows(spark.sql(sql))
        with settings(spark, named):
            frame = spark.sql(sql)
            on = rows(frame)
            found = plan(frame)
            assert ("SlidingWindow" in found) == taken, found
            assert not whole or not re.search(r"(?<!Sliding)Window \[", found), found
        assert repr(on) == repr(off)
        return on

    return asked


def _near(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return repr(a) == repr(b)


@pytest.fixture
def close(spark: SparkSession) -> Ask:
    """As `ask`, with doubles as close as adding in another order leaves them."""

    def asked(sql: str) -> list[tuple[Any, ...]]:
        skip_if_lacking(sql)
        with settings(spark, {"spark.slidewise.enabled": "false"}):
            off = rows(spark.sql(sql))
        on = rows(spark.sql(sql))
        assert len(on) == len(off)
        for a, b in zip(on, off, strict=True):
            assert all(map(_near, a, b)), (a, b)
        return on

    return asked


def error_of(spark: SparkSession, sql: str) -> str | None:
    """The error class of a query; none if it does not fail."""
    try:
        spark.sql(sql).collect()
    except PySparkException as error:
        return condition_of(error) or type(error).__name__
    except Py4JJavaError as error:
        # Spark 3.5 does not say the error class of what fails in a task.
        named = re.search(r"\[([A-Z_]{5,}(\.[A-Z_]+)*)\]", str(error))
        return named[1] if named else str(error.java_exception.getClass().getName())
    return None


@pytest.fixture
def fails(spark: SparkSession) -> Fails:
    """The error class of a query, which is the same with Slidewise and without."""

    def failed(sql: str, **changes: Any) -> str:
        skip_if_lacking(sql)
        named = {f"spark.sql.{key.replace('_', '.')}": value for key, value in changes.items()}
        with settings(spark, {"spark.slidewise.enabled": "false"} | named):
            off = error_of(spark, sql)
        with settings(spark, named):
            on = error_of(spark, sql)
        assert off is not None, f"Spark does not fail: {sql}"
        assert on == off
        return off

    return failed


@pytest.fixture(scope="module")
def sharing(spark: SparkSession) -> Sharing:
    spark.sql(TABLE).createOrReplaceTempView("rows")
    return Sharing(spark)


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> Iterator[None]:
    frame = spark.sql(SOURCE).cache()
    frame.createOrReplaceTempView("hops")
    yield
    frame.unpersist()


@pytest.fixture
def hops(spark: SparkSession, events: None) -> Ask:
    """The rows of a query, in no order: those of Spark alone, which those with Slidewise must equal.

    Keywords are settings, with `_` for `.` after `spark.sql.`
    """

    def asked(query: str | Callable[[], DataFrame], taken: bool = True, **changes: Any) -> list[tuple[Any, ...]]:
        def frame() -> DataFrame:
            return spark.sql(query) if isinstance(query, str) else query()

        if isinstance(query, str):
            skip_if_lacking(query)
        named = {f"spark.sql.{key.replace('_', '.')}": value for key, value in changes.items()}
        with settings(spark, {"spark.slidewise.enabled": "false"} | named):
            off = sorted(rows(frame()), key=repr)
        with settings(spark, named):
            on = frame()
            assert ("HoppingWindow" in plan(on)) == taken, plan(on)
            found = sorted(rows(on), key=repr)
        assert len(found) == len(off)
        for a, b in zip(found, off, strict=True):
            assert all(map(_same, a, b)), (a, b)
        return found

    return asked


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    return _near(a, b)
