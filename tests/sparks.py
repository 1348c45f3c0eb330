"""What differs between the Spark versions that the tests run on."""

from __future__ import annotations

import re

import pyspark
import pytest
from pyspark.errors import PySparkException


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


SPARK = _minor(pyspark.__version__)


def needs_spark(since: str, reason: str) -> pytest.MarkDecorator:
    """Skips a test on an older Spark; the reason says what that Spark lacks."""
    return pytest.mark.skipif(_minor(since) > SPARK, reason=f"before Spark {since}: {reason}")


needs_collations = needs_spark("4.0", "no collations")
needs_connect_server = needs_spark("4.0", "PySpark carries no Spark Connect server")
needs_streams = needs_spark("4.0", "Slidewise runs no windows over streams")
needs_within_group = needs_spark("4.0", "no WITHIN GROUP for functions of extensions")
needs_window_filter = needs_spark("4.2", "no FILTER of a window function")

_IN_SQL = {
    r"\bCOLLATE\b": needs_collations,
    r"WITHIN GROUP": needs_within_group,
    r"FILTER \(WHERE [^)]*\)\s+OVER": needs_window_filter,
    r"\blistagg\(": needs_spark("4.0", "no listagg"),
    r"\bmode\([^()]*, true\)": needs_spark("4.0", "mode takes one argument"),
    r"\btheta_|\bkll_": needs_spark("4.1", "no theta and KLL sketches"),
    r"\bapprox_top_k": needs_spark("4.1", "no approx_top_k"),
    r"\bmake_time\(": needs_spark("4.1", "no TIME type"),
    r"\btuple_": needs_spark("4.2", "no tuple sketches"),
    r"\b(max|min)_by\([^()]*,[^()]*,[^()]*\)": needs_spark("4.2", "max_by and min_by take two arguments"),
}


def needed_by(sql: str) -> list[pytest.MarkDecorator]:
    """The marks of the features that a query uses."""
    return [mark for feature, mark in _IN_SQL.items() if re.search(feature, sql)]


def skip_if_lacking(sql: str) -> None:
    """Skips the running test if this Spark lacks a feature that the query uses."""
    for mark in needed_by(sql):
        if mark.args[0]:
            pytest.skip(mark.kwargs["reason"])


def portable(sql: str) -> str:
    """The query without FILTER, which older Sparks refuse in a window."""
    return sql if SPARK >= (4, 2) else re.sub(r" FILTER \(WHERE [^)]*\)", "", sql)


def condition_of(error: PySparkException) -> str | None:
    """The error class, which PySpark 3.5 calls by its older name."""
    return error.getCondition() if SPARK >= (4, 0) else error.getErrorClass()
