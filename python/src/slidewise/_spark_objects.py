"""Checks that an argument is an object of Spark, classic or of Connect, which have no common class in Spark 3.5."""

from __future__ import annotations

from typing import Any


def is_a(kind: str, value: Any) -> bool:
    """Whether a value is of a class of Spark."""
    return any(c.__name__ == kind and c.__module__.startswith("pyspark.sql") for c in type(value).__mro__)


def check_is_a(kind: str, argument: str, value: Any) -> None:
    """Raises TypeError unless an argument is of a class of Spark.

    >>> check_is_a("DataFrame", "df", "SELECT 1")
    Traceback (most recent call last):
    TypeError: df is 'SELECT 1', but must be a DataFrame of Spark
    """
    if not is_a(kind, value):
        # The text of a pandas-on-Spark table would run a job.
        simple = value is None or isinstance(value, (str, int, float))
        given = repr(value) if simple else f"a {type(value).__module__}.{type(value).__qualname__}"
        raise TypeError(f"{argument} is {given:.200}, but must be a {kind} of Spark")
