"""RANGE frames between expressions on a classic session, whose JVM knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark import SparkContext, __version__
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import window

from slidewise._versions import is_since

if TYPE_CHECKING:
    from pyspark.sql.window import WindowSpec


def between(start: str, end: str | None) -> WindowSpec:
    """A window from one SQL expression to another, or to the current row."""
    context: Any = SparkContext._active_spark_context
    if context is None:
        raise RuntimeError("there is no Spark session, but a frame of an interval needs one: create the session first")
    jvm = context._jvm
    bounds = [None if expression is None else F.expr(expression) for expression in (start, end)]
    return _of_nodes(jvm, bounds) if is_since("4.0", __version__) else _of_expressions(jvm, bounds)


def _of_nodes(jvm: Any, bounds: list[Any]) -> WindowSpec:
    from pyspark.sql.classic.window import Window, WindowSpec

    frames = jvm.org.apache.spark.sql.internal

    def bound(column: Any) -> Any:
        return _object(frames, "WindowFrame$CurrentRow") if column is None else value(column._jc.node())

    value = getattr(frames, "WindowFrame$Value")
    everything: Any = Window.partitionBy()
    return WindowSpec(everything._jspec.withFrame(_object(frames, "WindowFrame$Range"), *map(bound, bounds)))


def _of_expressions(jvm: Any, bounds: list[Any]) -> WindowSpec:
    """Spark 3.5 has no column nodes: its columns and windows hold expressions of Catalyst."""
    catalyst = jvm.org.apache.spark.sql.catalyst.expressions

    def bound(column: Any) -> Any:
        return _object(catalyst, "CurrentRow") if column is None else column._jc.expr()

    frame = catalyst.SpecifiedWindowFrame(_object(catalyst, "RangeFrame"), *map(bound, bounds))
    none = _object(jvm.scala.collection.immutable, "Nil")
    specification: Any = window.WindowSpec
    spec: WindowSpec = specification(jvm.org.apache.spark.sql.expressions.WindowSpec(none, none, frame))
    return spec


def _object(package: Any, name: str) -> Any:
    """The Scala object of this name."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")
