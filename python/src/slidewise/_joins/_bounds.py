"""The bounds of window frames as SQL, on classic sessions and on Spark Connect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark import __version__
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.window import Window

from slidewise._install import is_connect
from slidewise._spark_objects import is_a
from slidewise._versions import is_since

if TYPE_CHECKING:
    from pyspark.sql.window import WindowSpec

CURRENT_ROW = ""
_ALLOWED = (
    "a frame of an interval from slidewise.functions.trailing or centered, or a RANGE frame from Window.rangeBetween, "
    "without partitionBy and orderBy: `by` and `on` name the keys and the time"
)
# What other windows have.
_KEYS, _ORDER, _ROWS, _NO_BOUNDS = "keys", "an order", "a number of rows", "no bounds"


@dataclass(frozen=True)
class Frame:
    """The distances of both ends of a frame from the current row, in SQL. None is unbounded."""

    lower: str | None
    upper: str | None

    @property
    def is_of_intervals(self) -> bool:
        return any("INTERVAL" in bound for bound in (self.lower, self.upper) if bound)

    @property
    def is_of_numbers(self) -> bool:
        return any("INTERVAL" not in bound for bound in (self.lower, self.upper) if bound)


def frame_of(window: Any, argument: str) -> Frame:
    """The frame of a window that has neither keys nor an order."""
    if not is_a("WindowSpec", window):
        raise TypeError(f"{argument} is {window!r:.200}, but must be {_ALLOWED}")
    read = _of_connect if is_connect(window) else _of_nodes if is_since("4.0", __version__) else _of_expressions
    frame = read(window)
    if isinstance(frame, str):
        raise ValueError(f"{argument} has {frame}, but must be {_ALLOWED}")
    return frame


def plus(time: str, distance: str) -> str:
    """The time at a distance, in SQL.

    >>> plus("t", "-INTERVAL '1 day'"), plus("t", "5L"), plus("t", CURRENT_ROW)
    ("t - INTERVAL '1 day'", 't + 5L', 't')
    """
    if distance == CURRENT_ROW:
        return time
    return f"{time} - {distance[1:]}" if distance.startswith("-") else f"{time} + {distance}"


def _of_connect(window: Any) -> Frame | str:
    """The frame, or what the window has instead."""
    from slidewise.functions._connect_range import IntervalFrame

    frame = window._frame
    if window._partitionSpec:
        return _KEYS
    if window._orderSpec:
        return _ORDER
    if frame is None:
        return _NO_BOUNDS
    if isinstance(frame, IntervalFrame):
        start, end = frame.bounds
        return Frame(start, end or CURRENT_ROW)
    return _ROWS if frame._isRowFrame else Frame(_of_integer(frame._start), _of_integer(frame._end))


def _of_integer(bound: int) -> str | None:
    if bound <= Window.unboundedPreceding or bound >= Window.unboundedFollowing:
        return None
    return f"{bound}L" if bound else CURRENT_ROW


def _of_nodes(window: WindowSpec) -> Frame | str:
    specification = _over(window).node().windowSpec()
    if specification.partitionColumns().size():
        return _KEYS
    if specification.sortColumns().size():
        return _ORDER
    if specification.frame().isEmpty():
        return _NO_BOUNDS
    frame = specification.frame().get()
    if frame.frameType().getClass().getSimpleName() != "Range$":
        return _ROWS
    return Frame(*map(_of_bound, (frame.lower(), frame.upper())))


def _of_expressions(window: WindowSpec) -> Frame | str:
    """Spark 3.5 has no column nodes: its columns and windows hold expressions of Catalyst."""
    specification = _over(window).expr().windowSpec()
    frame = specification.frameSpecification()
    if specification.partitionSpec().size():
        return _KEYS
    if specification.orderSpec().size():
        return _ORDER
    if frame.getClass().getSimpleName() != "SpecifiedWindowFrame":
        return _NO_BOUNDS
    if frame.frameType().sql() != "RANGE":
        return _ROWS
    return Frame(*map(_of_bound, (frame.lower(), frame.upper())))


def _over(window: WindowSpec) -> Any:
    column: Any = F.count("*").over(window)
    return column._jc


def _of_bound(bound: Any) -> str | None:
    kind = bound.getClass().getSimpleName()
    if kind.startswith("Unbounded"):
        return None
    if kind.startswith("CurrentRow"):
        return CURRENT_ROW
    sql = str((bound.value() if kind == "Value" else bound).sql())
    return f"-{sql[3:-1]}" if sql.startswith("(- ") else sql
