"""RANGE frames between expressions on a classic session, whose JVM knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark import SparkContext
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.classic.window import Window, WindowSpec

if TYPE_CHECKING:
    from pyspark.sql.window import WindowSpec as AnyWindowSpec


def between(start: str, end: str | None) -> AnyWindowSpec:
    """A window from one SQL expression to another, or to the current row."""
    everything: Any = Window.partitionBy()
    context: Any = SparkContext._active_spark_context
    frames = context._jvm.org.apache.spark.sql.internal

    def named(name: str) -> Any:
        return getattr(frames, f"WindowFrame${name}")

    def bound(expression: str) -> Any:
        column: Any = F.expr(expression)
        return named("Value")(column._jc.node())

    current: Any = getattr(named("CurrentRow$"), "MODULE$")
    upper = current if end is None else bound(end)
    return WindowSpec(everything._jspec.withFrame(getattr(named("Range$"), "MODULE$"), bound(start), upper))
