"""The points of a picture: a result of any size, averaged over spans of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from statistics import median
from typing import TYPE_CHECKING, Any

from slidewise._plot._picture import Series

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MOST_PANELS = 16
_MOST_POINTS = 400
_GAP = 5
"""A step in time that is longer than so many times the median step breaks the line."""

_TIMES = ("timestamp", "timestamp_ntz", "date")
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")


def check(df: DataFrame, columns: Mapping[str, str | None]) -> None:
    """Refuses columns that the result does not have or that cannot be drawn: those of time, value and group, by the
    names of the arguments."""
    if df.isStreaming:
        raise ValueError("a stream cannot be drawn: write it to a table, and draw the table")
    for argument, name in columns.items():
        if name is not None and name not in df.columns:
            raise ValueError(f"{argument} is {name!r}, but the result has the columns {', '.join(df.columns)}")
    kinds = {field.name: field.dataType.typeName() for field in df.schema.fields}
    (time, time_column), (value, value_column), _ = columns.items()
    if kinds[str(time_column)] not in (*_TIMES, *_NUMBERS):
        raise ValueError(
            f"{time} is {time_column!r} of type {kinds[str(time_column)]}, but must be a date, a timestamp or a number"
        )
    if kinds[str(value_column)] not in _NUMBERS:
        raise ValueError(f"{value} is {value_column!r} of type {kinds[str(value_column)]}, but must be a number")


def series_of(df: DataFrame, time: str, value: str, group: str | None) -> list[Series]:
    """Up to 16 groups, those with the most rows, each as the mean value in up to 400 equal spans of time."""
    from pyspark.sql import functions as F  # noqa: N812

    groups = F.coalesce(F.col(_quoted(group)).cast("string"), F.lit("null")) if group else F.lit("")
    points = df.select(
        groups.alias("g"), F.col(_quoted(time)).alias("t"), F.col(_quoted(value)).cast("double").alias("v")
    ).where("t IS NOT NULL AND v IS NOT NULL")
    kind = points.schema["t"].dataType.typeName()
    if kind in _TIMES:
        points = points.withColumn("x", F.unix_micros(F.col("t").cast("timestamp")).cast("double"))
        if kind == "timestamp":  # Python would take it in the time zone of its process
            points = points.withColumn("t", F.col("t").cast("timestamp_ntz"))
    else:
        points = points.withColumn("t", F.col("t").cast("double")).withColumn("x", F.col("t"))
    largest = points.groupBy("g").count().orderBy(F.desc("count"), "g").limit(_MOST_PANELS)
    span = points.agg(F.min("x"), F.max("x")).first()
    if span is None or span[0] is None:
        raise ValueError("there is nothing to draw: the result has no row with both a time and a value")
    low, high = span
    spot = F.floor((F.col("x") - low) / ((high - low) or 1.0) * (_MOST_POINTS - 1))
    thin = points.join(largest, "g").groupBy("g", spot.alias("spot")).agg(F.min("t").alias("t"), F.avg("v").alias("v"))
    by_group: dict[str, list[tuple[Any, float]]] = {}
    for row in thin.orderBy("g", "spot").collect():
        by_group.setdefault(row.g, []).append((row.t, row.v))
    return [_series(name, line) for name, line in by_group.items()]


def _series(name: str, line: list[tuple[Any, float]]) -> Series:
    broken = broken_at_gaps(line)
    return Series(title=name, note="", times=[t for t, _ in broken], values=[v for _, v in broken])


def broken_at_gaps(line: Sequence[tuple[Any, float]]) -> list[tuple[Any, float]]:
    """The points with a NaN, which breaks the line, in each step that is longer than five median steps.

    >>> broken_at_gaps([(0, 1.0), (1, 2.0), (2, 1.0), (9, 3.0)])
    [(0, 1.0), (1, 2.0), (2, 1.0), (2, nan), (9, 3.0)]
    """
    steps = [_length(later[0] - earlier[0]) for earlier, later in zip(line, line[1:])]
    if not steps:
        return list(line)
    longest = _GAP * median(steps)
    result = [line[0]]
    for (earlier, later), step in zip(zip(line, line[1:]), steps):
        if step > longest:
            result.append((earlier[0], float("nan")))
        result.append(later)
    return result


def _length(step: Any) -> float:
    return step.total_seconds() if isinstance(step, timedelta) else float(step)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
