"""RANGE frames between intervals on Spark Connect, whose client sends frames of integers only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.connect import proto
from pyspark.sql.connect.column import Column
from pyspark.sql.connect.expressions import WindowExpression
from pyspark.sql.connect.window import WindowFrame, WindowSpec

if TYPE_CHECKING:
    from pyspark.sql import Column as AnyColumn

_OF_A_FRAME_OF_INTEGERS = ("_isRowFrame", "_start", "_end")


class IntervalFrame(WindowFrame):
    """The bounds of a frame as SQL expressions. `Column.over` fails on it with the remedy."""

    def __init__(self, start: str, end: str | None) -> None:
        self.bounds = (start, end)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_A_FRAME_OF_INTEGERS:
            raise TypeError(
                "Column.over of the Spark Connect client takes no window with an interval: write "
                "slidewise.functions.over(column, window) instead of column.over(window)"
            )
        raise AttributeError(name)

    def __repr__(self) -> str:
        start, end = self.bounds
        return f"WindowFrame(RANGE_FRAME, {start}, {end or 'CURRENT ROW'})"


class _IntervalWindowExpression(WindowExpression):
    """A function over a window whose frame is an `IntervalFrame`."""

    def __init__(self, function: Any, window: Any) -> None:
        super().__init__(function, WindowSpec(window._partitionSpec, window._orderSpec, None))
        self._bounds = window._frame.bounds

    def to_plan(self, session: Any) -> Any:
        plan = super().to_plan(session)
        frame = plan.window.frame_spec
        frame.frame_type = proto.Expression.Window.WindowFrame.FrameType.FRAME_TYPE_RANGE
        for side, expression in zip((frame.lower, frame.upper), self._bounds):
            if expression is None:
                side.current_row = True
            else:
                column: Any = F.expr(expression)
                side.value.CopyFrom(column._expr.to_plan(session))
        return plan


def between(start: str, end: str | None) -> WindowSpec:
    """A window from one SQL expression to another, or to the current row."""
    return WindowSpec(partitionSpec=[], orderSpec=[], frame=IntervalFrame(start, end))


def over(column: Any, window: WindowSpec) -> AnyColumn:
    """The column over a window of `between`."""
    return Column(_IntervalWindowExpression(column._expr, window))
