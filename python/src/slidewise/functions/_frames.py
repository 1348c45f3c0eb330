"""Window frames by number of rows or by interval."""

from __future__ import annotations

import re
from datetime import timedelta
from numbers import Integral
from typing import TYPE_CHECKING, Any

from pyspark.sql.utils import is_remote
from pyspark.sql.window import Window

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.window import WindowSpec


def trailing(rows: int | None = None, *, interval: str | timedelta | None = None) -> WindowSpec:
    """The frame of the last `rows` rows, or of the rows that are at most `interval` older than the current row. The
    current row is part of both. Add `.partitionBy(…)` and `.orderBy(…)`, except for `slidewise.window_join`, whose `by`
    and `on` stand for them and whose `closed` says which ends belong to the frame.

    The frame of an interval is SQL's `RANGE BETWEEN INTERVAL … PRECEDING AND CURRENT ROW`, which includes both ends.
    Over dates, "6 days" therefore covers seven calendar dates: the current one and the six before it. Over timestamps,
    "7 days" covers the seven days before the current row, with a row that is exactly seven days older.

    An interval is written as in SQL ("7 days", "1 hour 30 minutes", "3 months"), or a `timedelta`. It needs one
    ORDER BY column: a timestamp or, for days and longer units, a date.

    >>> df = spark.sql("SELECT DATE'2026-01-01' + i AS day FROM VALUES (0), (1), (6), (7) AS t(i)")
    >>> week = trailing(interval="6 days").orderBy("day")
    >>> df.withColumn("n", over(F.count("*"), week)).show()
    +----------+---+
    |       day|  n|
    +----------+---+
    |2026-01-01|  1|
    |2026-01-02|  2|
    |2026-01-07|  3|
    |2026-01-08|  3|
    +----------+---+
    <BLANKLINE>
    """
    if _one_of(rows, interval) is rows:
        return Window.rowsBetween(1 - _positive(rows), Window.currentRow)
    return _range(interval_literal(interval, -1), None)


def centered(rows: int | None = None, *, interval: str | timedelta | None = None) -> WindowSpec:
    """The frame of `rows` rows (an odd number) with the current row in the middle, or of the rows that are at most
    `interval` older or younger than the current row. Both ends of an interval are included: over dates, "3 days" covers
    seven calendar dates. Add `.partitionBy(…)` and `.orderBy(…)`.

    >>> df = spark.range(1, 6)
    >>> [row.s for row in df.select(F.sum("id").over(centered(3).orderBy("id")).alias("s")).collect()]
    [3, 6, 9, 12, 9]
    >>> centered(4)
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
    return _range(interval_literal(interval, -1), interval_literal(interval, 1))


def over(column: Column, window: WindowSpec) -> Column:
    """The column over the window: `column.over(window)`, also for an interval on Spark Connect.

    PySpark's Spark Connect client sends frames of integers only, so that `column.over(window)` fails there when the
    window has an interval. On classic sessions, and for frames of rows, both mean the same.

    >>> df = spark.sql("SELECT timestamp_seconds(s) AS t, s AS x FROM VALUES (0), (50), (60), (70) AS t(s)")
    >>> minute = trailing(interval="1 minute").orderBy("t")
    >>> [row.s for row in df.select(over(F.sum("x"), minute).alias("s")).collect()]
    [0, 50, 110, 180]
    """
    if type(window).__module__ == "pyspark.sql.connect.window":
        from slidewise.functions import _connect_range

        if isinstance(window._frame, _connect_range.IntervalFrame):  # type: ignore[attr-defined]
            return _connect_range.over(column, window)  # type: ignore[arg-type]
    return column.over(window)


def _one_of(rows: int | None, interval: str | timedelta | None) -> int | str | timedelta:
    if rows is not None and interval is None:
        return rows
    if interval is not None and rows is None:
        return interval
    raise ValueError(f"rows is {rows!r} and interval is {interval!r}, but just one of them must be given")


def _positive(rows: Any) -> int:
    if isinstance(rows, (str, timedelta)):
        raise ValueError(
            f"rows is {rows!r}, but must be a whole number from 1; write interval={rows!r} for an interval"
        )
    if not isinstance(rows, Integral) or isinstance(rows, bool) or rows < 1:
        raise ValueError(f"rows is {rows!r}, but must be a whole number from 1")
    return int(rows)


def interval_literal(interval: Any, sign: int, argument: str = "interval") -> str:
    """The interval as a SQL literal. An error names the argument that holds it."""
    words = interval
    if isinstance(interval, timedelta):
        parts = {"days": interval.days, "seconds": interval.seconds, "microseconds": interval.microseconds}
        words = " ".join(f"{n} {unit}" for unit, n in parts.items() if n) or "0 days"
    if not isinstance(words, str) or not _is_interval(words):
        raise ValueError(
            f"{argument} is {interval!r}, but must be whole numbers of weeks, days, hours, minutes and seconds as in"
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
            for amount, unit in zip(amounts, units)
        )
    )


def _range(start: str, end: str | None) -> WindowSpec:
    """RANGE BETWEEN two SQL expressions, which PySpark's `rangeBetween` does not take. None is the current row."""
    between: Any
    if is_remote():
        from slidewise.functions._connect_range import between
    else:
        from slidewise.functions._classic_range import between
    spec: WindowSpec = between(start, end)
    return spec
