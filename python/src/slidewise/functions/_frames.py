"""Window frames in words: so many rows, or so much time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pyspark.sql.utils import is_remote
from pyspark.sql.window import Window

if TYPE_CHECKING:
    from pyspark.sql.window import WindowSpec


def trailing(*, rows: int | None = None, interval: str | None = None) -> WindowSpec:
    """The frame of the last so many rows, the current one included, or of the time up to the current row, with those
    that are as old as the interval. Add `.partitionBy(…)` and `.orderBy(…)`.

    An interval is what SQL has after INTERVAL: "7 days", "1 hour 30 minutes", "3 months". It needs one ORDER BY
    column, a timestamp or, for days and more, a date.

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


def centered(*, rows: int | None = None, interval: str | None = None) -> WindowSpec:
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


def _one_of(rows: int | None, interval: str | None) -> int | str:
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
    if not isinstance(interval, str) or not re.fullmatch(r"\s*(\d+(\.\d+)?\s+[A-Za-z]+\s*)+", interval):
        raise ValueError(f"interval is {interval!r}, but must be as in '7 days' or '1 hour 30 minutes'")
    return f"{'-' if sign < 0 else ''}INTERVAL '{interval}'"


def _range(start: str, end: str | None) -> WindowSpec:
    """RANGE BETWEEN two SQL expressions, None for the current row: PySpark's `rangeBetween` takes integers only."""
    between: Any
    if is_remote():
        from slidewise.functions._connect_range import between
    else:
        from slidewise.functions._classic_range import between
    spec: WindowSpec = between(start, end)
    return spec
