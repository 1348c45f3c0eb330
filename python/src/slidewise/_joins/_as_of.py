"""As-of joins."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

from pyspark.sql import functions as F  # noqa: N812

from slidewise._joins._lateral import check_session, with_first
from slidewise._joins._sides import Sides, quoted, sides_of
from slidewise.functions._frames import interval_literal

if TYPE_CHECKING:
    from datetime import timedelta

    from pyspark.sql import Column, DataFrame

_DIRECTIONS = ("backward", "forward", "nearest")
_MAX_DIGITS = 38
"""Of Spark's decimals."""


def asof_join(
    left: DataFrame,
    right: DataFrame,
    *,
    on: str | None = None,
    left_on: str | None = None,
    right_on: str | None = None,
    by: str | Sequence[str] | None = None,
    left_by: str | Sequence[str] | None = None,
    right_by: str | Sequence[str] | None = None,
    direction: Literal["backward", "forward", "nearest"] = "backward",
    tolerance: str | timedelta | float | Decimal | None = None,
    allow_exact_matches: bool = True,
    suffixes: tuple[str | None, str | None] = ("_x", "_y"),
) -> DataFrame:
    """The rows of `left`, each with the row of `right` with the same keys and the nearest time, as `pandas.merge_asof`.

    A row without a match gets nulls. Null keys and times match nothing. Neither table needs to be sorted. Of several
    rows of `right` at the same time, any is taken.

    - `on`: the column of times in both tables, or `left_on` and `right_on`. If both have one name, the result has the
      time of `left` alone. To see that of `right`, add a copy of it under another name.
    - `by`: the columns of keys in both tables, or `left_by` and `right_by`. Without them, all rows have one key.
    - `direction`: `backward` takes the newest row at or before the time, `forward` the first at or after it, and
      `nearest` the nearer of both; the earlier one if both are equally near.
    - `tolerance`: the greatest distance in time: an interval ("10 minutes", or a `timedelta`), or a number if the times
      are numbers.
    - `allow_exact_matches`: False leaves out rows of `right` at exactly the time.
    - `suffixes`: added to columns that both tables have. None leaves the name as it is.

    >>> import slidewise
    >>> from pyspark.sql import SparkSession
    >>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    >>> _ = slidewise.install(spark)
    >>> trades = spark.sql("SELECT 'X' AS s, timestamp_seconds(t) AS ts, t FROM VALUES (60), (120) AS t(t)")
    >>> prices = "VALUES (0, 7), (90, 8), (120, 9) AS t(t, p)"
    >>> quotes = spark.sql(f"SELECT 'X' AS s, timestamp_seconds(t) AS ts, p FROM {prices}")
    >>> slidewise.asof_join(trades, quotes, on="ts", by="s").select("t", "p").orderBy("t").show()
    +---+---+
    |  t|  p|
    +---+---+
    | 60|  7|
    |120|  9|
    +---+---+
    <BLANKLINE>

    Raises TypeError or ValueError if an argument is wrong, and Spark's AnalysisException if keys or times cannot be
    compared, before any job. Spark Connect must be 4.0 or later. Slidewise runs the join in sessions of
    `slidewise.configure`; after `slidewise.install` alone, Spark does.
    """
    sides = sides_of(left, right, on, left_on, right_on, by, left_by, right_by)
    check_session(left, "asof_join")
    if direction not in _DIRECTIONS:
        raise ValueError(f"direction is {direction!r}, but must be {', '.join(map(repr, _DIRECTIONS))}")
    if not isinstance(allow_exact_matches, bool):
        raise TypeError(f"allow_exact_matches is {allow_exact_matches!r}, but must be True or False")
    if direction == "nearest":
        sides.check_kind("direction='nearest'")
    distance = None if tolerance is None else _distance(sides, tolerance)
    renamed, taken = _names(sides, suffixes)
    joined = left.alias(sides.alias)
    ways = ("backward", "forward") if direction == "nearest" else (direction,)
    bounds = {way: _bounds(sides, way, distance, allow_exact_matches) for way in ways}
    compared = sides.compared([value for of_way in bounds.values() for _, value in of_way])
    on_time = compared(quoted(sides.right.on))
    for way in ways:
        columns = {f"slidewise_{way}_{at}": quoted(name) for at, name in enumerate(taken)}
        if direction == "nearest":
            columns[f"slidewise_{way}"] = quoted(sides.right.on)
        if columns:
            conditions = [*sides.same_keys, *((on_time, operator, compared(value)) for operator, value in bounds[way])]
            joined = with_first(joined, right, conditions, columns, on_time, newest=way == "backward")
    found = [[F.col(f"slidewise_{way}_{at}") for way in ways] for at in range(len(taken))]
    if direction == "nearest" and taken:
        found = [[F.when(_is_backward(sides), backward).otherwise(forward)] for backward, forward in found]
    result = joined.select(
        *(_named(F.col(f"{sides.alias}.{quoted(name)}"), name, new) for name, new in renamed.items()),
        *(column.alias(new) for (column,), new in zip(found, taken.values())),
    )
    _ = result.columns  # errors now, on Spark Connect, too
    return result


def _named(column: Column, name: str, new: str) -> Column:
    # An alias would hide the column from those that have it from `left`.
    return column if new == name else column.alias(new)


def _bounds(sides: Sides, way: str, distance: str | None, exact: bool) -> list[tuple[str, str]]:
    """The bounds on the time of a row of `right`, each an operator and an expression of `left`."""
    before, after, sign = ("<", ">", "-") if way == "backward" else (">", "<", "+")
    bounds = [(f"{before}=" if exact else before, sides.time)]
    if distance is not None:
        bounds.append((f"{after}=", f"{sides.time} {sign} {distance}"))
    return bounds


def _is_backward(sides: Sides) -> Column:
    """Whether the earlier of two rows of `right` is the nearer one, or as near, or the only one."""
    sides_of_time = (sides.left, sides.right)
    template = "{}"
    if any(side.type_of_time == "timestamp" for side in sides_of_time):
        # The difference of two timestamps depends on the time zone.
        template = "cast(unix_micros(cast({} AS timestamp)) AS decimal(20, 0))"
    elif all(side.has_whole_numbers for side in sides_of_time):
        # The difference of two integers may exceed their type.
        template = "cast({} AS decimal(20, 0))"
    time, backward, forward = map(template.format, (sides.time, "slidewise_backward", "slidewise_forward"))
    return F.expr(f"slidewise_forward IS NULL OR {time} - {backward} <= {forward} - {time}")


def _distance(sides: Sides, tolerance: Any) -> str:
    """The tolerance as a SQL literal."""
    kind = sides.check_kind("a tolerance")
    if kind == "time":
        return interval_literal(tolerance, 1, "tolerance")
    if isinstance(tolerance, bool) or not isinstance(tolerance, (Real, Decimal)):
        raise TypeError(
            f"tolerance is {tolerance!r}, but must be a number, as {sides.left.argument}, {sides.left.on!r}, is one"
        )
    if not 0 <= float(tolerance) < math.inf:
        raise ValueError(f"tolerance is {tolerance!r}, but must be finite and not negative")
    if sides.left.has_whole_numbers and sides.right.has_whole_numbers:
        return _checked_digits(tolerance, str(math.floor(tolerance)))
    if isinstance(tolerance, Decimal):
        return _checked_digits(tolerance, f"{tolerance:f}") + "BD"
    return str(int(tolerance)) if isinstance(tolerance, Integral) else f"{float(tolerance)!r}D"


def _checked_digits(tolerance: Any, literal: str) -> str:
    if sum(c.isdigit() for c in literal) > _MAX_DIGITS:
        raise ValueError(f"tolerance is {tolerance!r}, but must have at most {_MAX_DIGITS} digits")
    return literal


def _names(sides: Sides, suffixes: Any) -> tuple[dict[str, str], dict[str, str]]:
    """The columns of both tables that the result has, each with its new name."""
    if (
        not isinstance(suffixes, (tuple, list))
        or len(suffixes) != 2
        or not all(suffix is None or isinstance(suffix, str) for suffix in suffixes)
    ):
        raise TypeError(f"suffixes is {suffixes!r:.200}, but must be a pair of strings or None")
    tables = [sides.left.table.columns, [c for c in sides.right.table.columns if c not in sides.merged]]
    for side, columns in (("left", tables[0]), ("right", sides.right.table.columns)):
        if twice := _repeated(sides, columns):
            raise ValueError(f"{side} has several columns named {twice}, but each name must stand for one column")
    folded = [{sides.folded(column) for column in columns} for columns in tables]
    both = folded[0] & folded[1]
    left, right = (
        {column: column + (suffix or "") if sides.folded(column) in both else column for column in columns}
        for columns, suffix in zip(tables, suffixes)
    )
    if twice := _repeated(sides, [*left.values(), *right.values()]):
        raise ValueError(
            f"suffixes is {suffixes!r}, but with these suffixes the result has several columns named {twice}"
        )
    return left, right


def _repeated(sides: Sides, names: Sequence[str]) -> str:
    """The names that occur more than once."""
    counts = Counter(map(sides.folded, names))
    return ", ".join(sorted(repr(name) for name, count in counts.items() if count > 1))
