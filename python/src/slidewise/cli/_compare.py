"""Runs one query with Slidewise on and off in one session, times both, and compares the answers."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from slidewise._switch import switched
from slidewise.cli._progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructField

_TOLERANCE = 1e-9


@dataclass
class Comparison:
    """The seconds of each run, and the folders of the last answers."""

    on_at: str
    off_at: str
    on: list[float] = field(default_factory=list)
    off: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """The median time with Slidewise off divided by the median time with it on."""
        return median(self.off) / median(self.on)

    def __str__(self) -> str:
        return f"on {median(self.on):.2f} s, off {median(self.off):.2f} s: {speed(self.ratio)} with Slidewise"


def speed(ratio: float) -> str:
    """The ratio of two times in words.

    >>> speed(17.04), speed(0.6), speed(0.98)
    ('17.0 times as fast', '1.7 times slower', 'as fast')
    """
    words = f"{ratio:.1f} times as fast" if ratio >= 1 else f"{1 / ratio:.1f} times slower"
    return "as fast" if words.startswith("1.0 ") else words


def compare(
    spark: SparkSession,
    query: Callable[[SparkSession], DataFrame],
    folder: Path,
    rounds: int = 1,
    name: str = "query",
) -> Comparison:
    """Runs the query with Slidewise on and off in turn. Each run writes the whole answer to Parquet."""
    result = Comparison(on_at=str(folder / "on"), off_at=str(folder / "off"))
    for _ in range(rounds):
        for enabled, path, seconds in (
            (True, result.on_at, result.on),
            (False, result.off_at, result.off),
        ):
            what = f"{name}, Slidewise {'on' if enabled else 'off'}"
            with switched(spark, enabled), progress(spark, what):
                began = time.perf_counter()
                query(spark).write.mode("overwrite").parquet(path)
                seconds.append(time.perf_counter() - began)
    return result


def differing_rows(spark: SparkSession, comparison: Comparison) -> int:
    """The number of rows that differ between the two answers, in any order. Floating-point values differ if their
    relative difference exceeds 1e-9."""
    on, off = spark.read.parquet(comparison.on_at), spark.read.parquet(comparison.off_at)
    if _types(on) != _types(off):
        raise ValueError(f"the two answers are of different types: {on.schema} and {off.schema}")
    fields = on.schema.fields
    exact = [_sortable(f) for f in fields if not _inexact(f)]
    keys = ", ".join(exact + [_sortable(f) for f in fields if _inexact(f)])
    on.createOrReplaceTempView("slidewise_on")
    off.createOrReplaceTempView("slidewise_off")
    same = " AND ".join(_same(f) for f in fields)
    with progress(spark, "comparing the answers"):
        (row,) = spark.sql(f"""
            WITH a AS (SELECT *, row_number() OVER (ORDER BY {keys}) AS slidewise_n FROM slidewise_on),
                 b AS (SELECT *, row_number() OVER (ORDER BY {keys}) AS slidewise_n FROM slidewise_off)
            SELECT count_if(a.slidewise_n IS NULL OR b.slidewise_n IS NULL OR NOT ({same}))
            FROM a FULL JOIN b ON a.slidewise_n = b.slidewise_n""").collect()
    return int(row[0])


def _types(df: DataFrame) -> list[tuple[str, DataType]]:
    return [(field.name, field.dataType) for field in df.schema.fields]


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _inexact(column: StructField) -> bool:
    return column.dataType.typeName() in ("double", "float")


def _sortable(column: StructField) -> str:
    atomic = column.dataType.typeName() not in ("map", "struct", "array", "variant")
    return _quoted(column.name) if atomic else f"CAST({_quoted(column.name)} AS STRING)"


def _same(column: StructField) -> str:
    a, b = (f"{side}.{_sortable(column)}" for side in "ab")
    if column.dataType.typeName() in ("map", "struct", "array", "variant"):
        a, b = (f"CAST({side}.{_quoted(column.name)} AS STRING)" for side in "ab")
    if not _inexact(column):
        return f"({a} <=> {b})"
    close = f"abs({a} - {b}) <= {_TOLERANCE} * greatest(1, abs({a}), abs({b}))"
    return f"({a} <=> {b} OR coalesce({close}, false))"
