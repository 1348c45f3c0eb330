"""Aggregates of another table's rows in a range of time around each row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812

from slidewise._install import is_connect
from slidewise._joins._bounds import CURRENT_ROW, Frame, frame_of, plus
from slidewise._joins._lateral import check_session, with_aggregates
from slidewise._joins._sides import Sides, quoted, sides_of
from slidewise._spark_objects import is_a

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.window import WindowSpec

_CLOSED = ("left", "right", "both", "neither")
_BEFORE = "slidewise_before_"


def window_join(
    left: DataFrame,
    right: DataFrame,
    aggregates: Mapping[str, tuple[Column | str, WindowSpec]],
    *,
    on: str | None = None,
    left_on: str | None = None,
    right_on: str | None = None,
    by: str | Sequence[str] | None = None,
    left_by: str | Sequence[str] | None = None,
    right_by: str | Sequence[str] | None = None,
    closed: Literal["left", "right", "both", "neither"] | None = None,
    include_prevailing: bool = False,
) -> DataFrame:
    """The rows of `left`, each with aggregates of the rows of `right` with the same keys in a range of time around it.

    `aggregates` maps the name of each new column to an aggregate of columns of `right` (a Column, or SQL text) and its
    frame, as `slidewise.functions.over` takes them. The frame is one of `slidewise.functions.trailing(interval=…)` or
    `centered(interval=…)`, or of `Window.rangeBetween` for times that are numbers and for frames that are unbounded on
    one side. A row without rows of `right` in its frame gets the aggregate of no rows: 0 for counts, an empty array for
    `collect_list`, and null for most others. Null keys and times match nothing.

    - `on`: the column of times in both tables, or `left_on` and `right_on`.
    - `by`: the columns of keys in both tables, or `left_by` and `right_by`. Without them, all rows have one key.
    - `closed`: which ends of the frames belong to them: `left`, `right`, `both` or `neither`. By default, a frame that
      ends at the row of `left`, as that of `trailing` does, is closed at the left only: **a row of `right` at exactly
      the time of the row of `left` does not count**, since it may not be known yet. Other frames are closed at both
      ends.
    - `include_prevailing`: whether the newest rows at or before the start of a frame belong to it, too, however old
      they are and whatever `closed` says. They tell the value that holds when the frame begins.

    >>> import slidewise
    >>> import slidewise.functions as sw
    >>> from pyspark.sql import SparkSession, functions as F
    >>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    >>> _ = slidewise.install(spark)
    >>> trades = spark.sql("SELECT 'X' AS s, timestamp_seconds(t) AS ts, t FROM VALUES (60), (120) AS t(t)")
    >>> prices = "VALUES (0, 7), (90, 8), (120, 9) AS t(t, p)"
    >>> quotes = spark.sql(f"SELECT 'X' AS s, timestamp_seconds(t) AS ts, p FROM {prices}")
    >>> minute = sw.trailing(interval="1 minute")
    >>> joined = slidewise.window_join(
    ...     trades, quotes, {"n": (F.count("*"), minute), "highest": (F.max("p"), minute)}, on="ts", by="s")
    >>> joined.select("t", "n", "highest").orderBy("t").show()
    +---+---+-------+
    |  t|  n|highest|
    +---+---+-------+
    | 60|  1|      7|
    |120|  1|      8|
    +---+---+-------+
    <BLANKLINE>

    Raises TypeError or ValueError if an argument is wrong, and Spark's AnalysisException if an aggregate names a column
    that `right` lacks or if keys cannot be compared, before any job. If both tables come from one DataFrame, name the
    columns in aggregates by strings: `F.sum("x")`, not `F.sum(df.x)`. Spark Connect must be 4.0 or later. Slidewise
    runs the join in sessions of `slidewise.configure`; after `slidewise.install` alone, Spark does.
    """
    sides = sides_of(left, right, on, left_on, right_on, by, left_by, right_by)
    check_session(left, "window_join")
    if closed is not None and closed not in _CLOSED:
        raise ValueError(f"closed is {closed!r}, but must be {', '.join(map(repr, _CLOSED))} or None")
    if not isinstance(include_prevailing, bool):
        raise TypeError(f"include_prevailing is {include_prevailing!r}, but must be True or False")
    frames = _by_frame(sides, aggregates)
    compared = sides.compared(_bounds(sides, frames))
    on_time = compared(quoted(sides.right.on))
    joined = left.alias(sides.alias)
    starts: dict[str, str] = {}
    if include_prevailing:
        for distance in dict.fromkeys(frame.lower for frame in frames if frame.lower is not None):
            starts[distance] = f"{_BEFORE}{len(starts)}"
            newest = F.max(F.expr(on_time)).alias(starts[distance])
            before = (on_time, "<=", compared(plus(sides.time, distance)))
            joined = with_aggregates(joined, right, [*sides.same_keys, before], [newest])
    for frame, columns in frames.items():
        bounds = _conditions(sides, frame, closed, starts)
        conditions = [*sides.same_keys, *((on_time, operator, compared(value)) for operator, value in bounds)]
        joined = with_aggregates(joined, right, conditions, columns)
    result = joined.select(f"{sides.alias}.*", *map(quoted, aggregates))
    _ = result.columns  # errors now, on Spark Connect, too
    return result


def _bounds(sides: Sides, frames: Iterable[Frame]) -> list[str]:
    """The ends of the frames as expressions of `left`."""
    distances = dict.fromkeys(d for frame in frames for d in (frame.lower, frame.upper) if d is not None)
    return [plus(sides.time, distance) for distance in distances]


def _conditions(sides: Sides, frame: Frame, closed: str | None, starts: dict[str, str]) -> list[tuple[str, str]]:
    """The conditions that a row of `right` is in the frame, each an operator and an expression of `left`."""
    ends = closed or ("left" if frame.upper == CURRENT_ROW else "both")
    found = []
    if frame.lower is not None:
        start = plus(sides.time, frame.lower)
        if frame.lower in starts:
            found.append((">=", f"coalesce({starts[frame.lower]}, {start})"))
        else:
            found.append((">=" if ends in ("left", "both") else ">", start))
    if frame.upper is not None:
        found.append(("<=" if ends in ("right", "both") else "<", plus(sides.time, frame.upper)))
    return found


def _by_frame(sides: Sides, aggregates: Any) -> dict[Frame, list[Column]]:
    """The named aggregates of each frame."""
    if not isinstance(aggregates, Mapping) or not aggregates:
        raise TypeError(
            f"aggregates is {aggregates!r:.200}, but must be a dictionary with at least one entry: from the name of a "
            "column to an aggregate and its frame"
        )
    frames: dict[Frame, list[Column]] = {}
    columns: dict[str, Column] = {}
    has = f"left has the columns {', '.join(sides.left.table.columns)}"
    names = {sides.folded(name): has for name in sides.left.table.columns}
    for name, entry in aggregates.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"aggregates has the key {name!r:.200}, but its keys must be names of columns")
        if sides.folded(name) in names:
            raise ValueError(f"aggregates has the key {name!r}, but {names[sides.folded(name)]}")
        names[sides.folded(name)] = "another key is the same name"
        argument = f"aggregates[{name!r}]"
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise TypeError(f"{argument} is {entry!r:.200}, but must be a pair of an aggregate and its frame")
        aggregate, window = entry
        column = F.expr(aggregate) if isinstance(aggregate, str) else aggregate
        if not is_a("Column", column):
            raise TypeError(f"{argument} has the aggregate {aggregate!r:.200}, but must have a Column or SQL text")
        frame = frame_of(window, f"the frame of {argument}")
        _check_frame(sides, frame, argument)
        columns[argument] = column.alias(name)
        frames.setdefault(frame, []).append(columns[argument])
    _check_aggregates(sides, columns)
    return frames


def _check_frame(sides: Sides, frame: Frame, argument: str) -> None:
    if frame.lower is None and frame.upper is None:
        raise ValueError(
            f"the frame of {argument} is unbounded on both sides, but must have a bound: "
            "all rows of a key are a GROUP BY"
        )
    kind = sides.check_kind("a frame")
    if (kind == "number" and frame.is_of_intervals) or (kind == "time" and frame.is_of_numbers):
        has = "an interval" if frame.is_of_intervals else "numbers"
        raise TypeError(
            f"the frame of {argument} is of {has}, but {sides.left.argument}, {sides.left.on!r}, is a {kind}"
        )


def _check_aggregates(sides: Sides, columns: dict[str, Column]) -> None:
    """Raises Spark's error for columns that `right` lacks, or an error that names the argument that is no aggregate."""
    right: Any = sides.right.table
    if is_connect(right):
        _ = right.agg(*columns.values()).columns
        return

    def are_aggregates(*some: Column) -> bool:
        return bool(right.select(*some)._jdf.queryExecution().analyzed().nodeName() == "Aggregate")

    try:
        if are_aggregates(*columns.values()):
            return
    except AnalysisException:
        pass  # such as an aggregate beside a column
    for argument, column in columns.items():
        if not are_aggregates(column):
            raise ValueError(f"{argument} has {column}, but must have an aggregate of rows")
    _ = right.select(*columns.values())
