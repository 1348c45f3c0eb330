"""Window frames in words: so many rows, or so much time."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pyspark.sql.utils import is_remote
from pyspark.sql.window import Window

if TYPE_CHECKING:
    from pyspark.sql.window import WindowSpec


def trailing(*, rows: int | None = None, interval: str | timedelta | None = None) -> WindowSpec:
    """The frame of the last so many rows, the current one included, or of the time up to the current row, with those
    that are as old as the interval. Add `.partitionBy(…)` and `.orderBy(…)`.

    An interval is what SQL has after INTERVAL ("7 days", "1 hour 30 minutes", "3 months"), or a `timedelta`. It needs
    one ORDER BY column, a timestamp or, for days and more, a date. Of a column of numbers Spark would take the interval
    as a number, too: a minute as 1.

    >>> df = spark.sql("SELECT DATE'2026-01-01' + i AS day, i FROM VALUES (0), (1), (6), (9) AS t(i)")
    >>> week = trailing(interval="7 days").orderBy("day")
    >>> df.selectExpr("day", "i").withColumn("n", F.count("*").over(week)).show()
    +----------+---+---+
    |       day|  i|  n|
    +----------+---+---+
    |2026-01-01|  0|  1|
    |2026-01-02|  1|  2|
    |2026-01-07|  6|  3|
    |2026-01-10|  9|  2|
    +----------+---+---+
    <BLANKLINE>
    """
    if _one_of(rows, interval) is rows:
        return Window.rowsBetween(1 - _positive(rows), Window.currentRow)
    return _range(_interval(interval, -1), None)


def centered(*, rows: int | None = None, interval: str | timedelta | None = None) -> WindowSpec:
    """The frame of so many rows (an odd number) with the current one in the middle, or of the interval on either side
    of the current row's time. Add `.partitionBy(…)` and `.orderBy(…)`.

    >>> df = spark.range(1, 6)
    >>> [row.s for row in df.select(F.sum("id").over(centered(rows=3).orderBy("id")).alias("s")).collect()]
    [3, 6, 9, 12, 9]
    >>> centered(rows=4)
    Traceback (most recent call last):
      ...
    ValueError: rows is 4, but must be odd, so that as many rows are before the current row as after it
    """
    if _one_of(rows, interval) is rows:
        half, rest = divmod(_positive(rows), 2)
        if not rest:
            raise ValueError(
                f"rows is {rows}, but must be odd, so that as many rows are before the current row as after it"
            )
        return Window.rowsBetween(-half, half)
    return _range(_interval(interval, -1), _interval(interval, 1))


def _one_of(rows: int | None, interval: str | timedelta | None) -> int | str | timedelta:
    if rows is not None and interval is None:
        return rows
    if interval is not None and rows is None:
        return interval
    raise ValueError(f"rows is {rows!r} and interval is {interval!r}, but just one of them must be given")


def _positive(rows: Any) -> int:
    if not isinstance(rows, int) or isinstance(rows, bool) or rows < 1:
        raise ValueError(f"rows is {rows!r}, but must be a whole number from 1")
    return rows


def _interval(interval: Any, sign: int) -> str:
    """The interval in SQL."""
    words = interval
    if isinstance(interval, timedelta):
        parts = {"days": interval.days, "seconds": interval.seconds, "microseconds": interval.microseconds}
        words = " ".join(f"{n} {unit}" for unit, n in parts.items() if n) or "0 days"
    if not isinstance(words, str) or not _is_interval(words):
        raise ValueError(
            f"interval is {interval!r}, but must be whole numbers of weeks, days, hours, minutes and seconds as in"
            " '7 days' or '1 hour 30 minutes', or of years and months, or a datetime.timedelta that is not negative"
        )
    return f"{'-' if sign < 0 else ''}INTERVAL '{words}'"


# Months have no fixed length, and Spark has no interval of them and of what has.
_OF_FIXED_LENGTH = {"week", "day", "hour", "minute", "second", "millisecond", "microsecond"}
_OF_MONTHS = {"year", "month"}


def _is_interval(text: str) -> bool:
    words = text.lower().split()
    amounts, units = words[::2], [unit.removesuffix("s") for unit in words[1::2]]
    return (
        len(amounts) == len(units) > 0
        and (set(units) <= _OF_FIXED_LENGTH or set(units) <= _OF_MONTHS)
        and all(
            re.fullmatch(r"[0-9]+(\.[0-9]{1,6})?" if unit == "second" else "[0-9]+", amount)
            for amount, unit in zip(amounts, units, strict=True)
        )
    )


def _range(start: str, end: str | None) -> WindowSpec:
    """RANGE BETWEEN two SQL expressions, None for the current row: PySpark's `rangeBetween` takes integers only."""
    between: Any
    if is_remote():
        from slidewise.functions._connect_range import between
    else:
        from slidewise.functions._classic_range import between
    spec: WindowSpec = between(start, end)
    return spec
