"""A result of any size, thinned out to the points of a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from slidewise.cli._picture import Series

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MOST_PANELS = 16
_MOST_POINTS = 400


def series_of(df: DataFrame, time: str, value: str, group: str | None) -> list[Series]:
    """Up to 16 groups, those with the most rows, each as the mean value in up to 400 equal spans of time."""
    from pyspark.sql import functions as F  # noqa: N812

    for option, name in (("TIME", time), ("VALUE", value), ("GROUP", group)):
        if name is not None and name not in df.columns:
            raise click.UsageError(
                f"--plot: {option} is {name!r}, but the result has the columns {', '.join(df.columns)}"
            )
    groups = F.col(_quoted(group)).cast("string") if group else F.lit("")
    points = df.select(
        groups.alias("g"), F.col(_quoted(time)).alias("t"), F.col(_quoted(value)).cast("double").alias("v")
    ).where("t IS NOT NULL AND v IS NOT NULL")
    kind = points.schema["t"].dataType.typeName()
    if kind in ("timestamp", "timestamp_ntz", "date"):
        points = points.withColumn("x", F.unix_micros(F.col("t").cast("timestamp")).cast("double"))
    elif kind in ("string", "boolean", "binary"):
        raise click.UsageError(f"--plot: TIME is {time!r} of type {kind}, but must be a date, a timestamp or a number")
    else:
        points = points.withColumn("x", F.col("t").cast("double"))
    largest = points.groupBy("g").count().orderBy(F.desc("count"), "g").limit(_MOST_PANELS)
    span = points.agg(F.min("x"), F.max("x")).first()
    if span is None or span[0] is None:
        raise click.ClickException("there is nothing to draw: the result has no row with both a time and a value")
    low, high = span
    spot = F.floor((F.col("x") - low) / ((high - low) or 1.0) * (_MOST_POINTS - 1))
    thin = points.join(largest, "g").groupBy("g", spot.alias("spot")).agg(F.min("t").alias("t"), F.avg("v").alias("v"))
    by_group: dict[str, list[tuple[object, float]]] = {}
    for row in thin.orderBy("g", "spot").collect():
        by_group.setdefault(row.g or "", []).append((row.t, row.v))
    return [
        Series(title=name, note="", times=[t for t, _ in line], values=[v for _, v in line])
        for name, line in by_group.items()
    ]


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
