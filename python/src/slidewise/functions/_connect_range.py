"""RANGE frames between expressions on Spark Connect, whose messages have a place for them and whose client has not."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.connect.expressions import WindowExpression
from pyspark.sql.connect.window import WindowFrame, WindowSpec


class _ExpressionFrame(WindowFrame):
    """The integers that the base class asks for are replaced when the message is written."""

    def __init__(self, start: str, end: str | None) -> None:
        super().__init__(isRowFrame=False, start=-1, end=0 if end is None else 1)
        self._bounds = (start, end)

    def write(self, frame: Any, session: Any) -> None:
        for side, expression in zip((frame.lower, frame.upper), self._bounds, strict=True):
            if expression is not None:
                column: Any = F.expr(expression)
                side.value.CopyFrom(column._expr.to_plan(session))

    def __repr__(self) -> str:
        start, end = self._bounds
        return f"WindowFrame(RANGE_FRAME, {start}, {end or 'CURRENT ROW'})"


def between(start: str, end: str | None) -> WindowSpec:
    """A window from one SQL expression to another, or to the current row."""
    return WindowSpec(partitionSpec=[], orderSpec=[], frame=_ExpressionFrame(start, end))


_to_plan = WindowExpression.to_plan


def _with_expressions(self: WindowExpression, session: Any) -> Any:
    plan = _to_plan(self, session)
    if isinstance(self._windowSpec._frame, _ExpressionFrame):
        self._windowSpec._frame.write(plan.window.frame_spec, session)
    return plan


# `Column.over` makes the client's own expression, which can be taught by its class only; other frames stay as they are.
WindowExpression.to_plan = _with_expressions  # type: ignore[method-assign]
