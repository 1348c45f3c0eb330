"""Runs code with Slidewise on or off in a session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SWITCH = "spark.slidewise.enabled"


@contextmanager
def switched(spark: SparkSession, on: bool) -> Iterator[None]:
    """Sets `spark.slidewise.enabled` for all threads of the session, and restores its value at the end."""
    before = spark.conf.get(SWITCH, None)
    spark.conf.set(SWITCH, on)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(SWITCH)
        else:
            spark.conf.set(SWITCH, before)
