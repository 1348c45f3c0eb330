"""A query with Slidewise and without, and how its answers compare."""

from __future__ import annotations

import math
import re
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession
from session import settings
from sparks import SPARK_ERRORS, condition_of

_OURS = re.compile(
    r"\b(\w*SlidingWindow|WindowTopRows|\w*WindowJoin|AsOfJoin|HoppingWindow|TwiceReadWindow|ParallelWindow)\b"
)
# Sums of floating-point numbers differ in their last digits, since additions have another order.
_DIGITS = 9


class Answer(NamedTuple):
    """Rows with the number of each, or the condition of an error."""

    rows: Counter[Any] | None
    error: str | None
    planned: frozenset[str]


class Asker:
    """Asks a session with Slidewise, which is switched off for every second answer.

    seconds: a query that takes longer is cancelled, which counts as an error
    """

    def __init__(self, session: SparkSession, seconds: float = 60) -> None:
        self._session, self._seconds = session, seconds

    def ask(self, sql: str, slidewise: bool) -> Answer:
        context = self._session.sparkContext
        context.setJobGroup("asked", sql[:100], interruptOnCancel=True)
        timer = threading.Timer(self._seconds, context.cancelJobGroup, ["asked"])
        timer.start()
        try:
            with settings(self._session, {"spark.slidewise.enabled": str(slidewise).lower()}):
                frame = self._session.sql(sql)
                rows = Counter(_comparable(row) for row in frame.collect())
                plan = frame._jdf.queryExecution().executedPlan().toString()
                return Answer(rows, None, frozenset(_OURS.findall(plan)))
        except SPARK_ERRORS as error:
            condition = condition_of(error) if isinstance(error, PySparkException) else None
            return Answer(None, condition or type(error).__name__, frozenset())
        finally:
            timer.cancel()


def _comparable(value: Any) -> Any:
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else float(f"{value:.{_DIGITS}g}") + 0.0
    if isinstance(value, Row | list | tuple):
        return tuple(_comparable(part) for part in value)
    if isinstance(value, Mapping):
        return frozenset((_comparable(key), _comparable(held)) for key, held in value.items())
    if isinstance(value, bytearray):
        return bytes(value)
    return value if value.__hash__ else str(value)
