"""What differs between the Spark versions that the tests run on."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pyspark
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from slidewise._versions import minor_of

SPARK = minor_of(pyspark.__version__)


def needs_spark(since: str, reason: str) -> pytest.MarkDecorator:
    """Skips a test on an older Spark; the reason says what that Spark lacks."""
    return pytest.mark.skipif(minor_of(since) > SPARK, reason=f"before Spark {since}: {reason}")


needs_collations = pytest.mark.skipif(
    SPARK < (4, 0) or pyspark.__version__ == "4.0.0",
    reason="Spark 4.0.0 loses the rows of queries with collations, and earlier ones have none",
)
needs_trimming_collations = needs_spark("4.1", "no collation that ignores trailing spaces")
needs_connect_server = needs_spark("4.0", "PySpark carries no Spark Connect server")
needs_days_between_dates = needs_spark("4.0", "no RANGE frame over dates by an interval of days")
needs_streams = needs_spark("4.0", "Slidewise runs no windows over streams")
needs_within_group = needs_spark("4.0", "no WITHIN GROUP for functions of extensions")
needs_window_filter = needs_spark("4.2", "no FILTER of a window function")

needs_nulls_ignored_beyond_partitions = pytest.mark.skipif(
    pyspark.__version__ == "3.5.0",
    reason="Spark 3.5.0 fails an assertion where lag or lead IGNORE NULLS leaves the partition",
)

needs_kll_merges = pytest.mark.skipif(
    SPARK < (4, 1) or pyspark.__version__ == "4.1.0", reason="before Spark 4.1.1: no aggregates that merge KLL sketches"
)

_IN_SQL = {
    r"\b(lag|lead)\([^()]*\) IGNORE NULLS": needs_nulls_ignored_beyond_partitions,
    r"\bCOLLATE\b": needs_collations,
    r"WITHIN GROUP": needs_within_group,
    r"FILTER \(WHERE [^)]*\)\s+OVER": needs_window_filter,
    r"\bparse_json\(": needs_spark("4.0", "no VARIANT"),
    r"\blistagg\(": needs_spark("4.0", "no listagg"),
    r"\bmode\([^()]*, true\)": needs_spark("4.0", "mode takes one argument"),
    r"\bkll_merge_agg_": needs_kll_merges,
    r"\btheta_|\bkll_": needs_spark("4.1", "no theta and KLL sketches"),
    r"\bapprox_top_k": needs_spark("4.1", "no approx_top_k"),
    r"\bWITH RECURSIVE\b": needs_spark("4.1", "no recursion"),
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


SPARK_ERRORS = (PySparkException, Py4JJavaError)
"""The errors of a query that runs: PySpark 3.5 raises the Java error of a task as it is."""

_ORDINALS = {"first": "Parameter 1", "second": "Parameter 2", "third": "Parameter 3"}


def unsaid(words: Iterable[str], error: BaseException) -> list[str]:
    """The words that the error lacks. Spark 3.5 writes `Parameter 1` for the first parameter."""
    return [word for word in words if (word if SPARK >= (4, 0) else _ORDINALS.get(word, word)) not in str(error)]


def condition_of(error: PySparkException) -> str | None:
    """The error class, which PySpark 3.5 calls by its older name."""
    return error.getCondition() if SPARK >= (4, 0) else error.getErrorClass()
