"""Lateral joins of DataFrames."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812

from slidewise._features import require_spark
from slidewise._install import is_connect
from slidewise._versions import is_since

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from pyspark.sql import Column, DataFrame

    Condition: TypeAlias = tuple[str, str, str]
    """An expression of the right side, an operator, and an expression of the left side, all in SQL."""

_COMPARED = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def check_session(left: DataFrame, function: str) -> None:
    """Refuses Spark Connect of a Spark that cannot join laterally there."""
    if is_connect(left):
        require_spark("4.0", left.sparkSession.version, f"slidewise.{function} on Spark Connect")


def with_aggregates(
    left: DataFrame, right: DataFrame, conditions: Sequence[Condition], aggregates: Sequence[Column]
) -> DataFrame:
    """`left` with aggregates of the rows of `right` for which the conditions hold.

    FROM left JOIN LATERAL (SELECT aggregates FROM right WHERE conditions)
    """
    if not _has_lateral_joins(left):
        from slidewise._joins._classic_lateral import with_columns

        joined: DataFrame = with_columns(left, right, _all(conditions, F.expr), aggregates)
        return joined
    table = _where(right, conditions)
    # `agg` of a classic DataFrame would look for the columns of `left` in `right`.
    return left.lateralJoin(table.agg(*aggregates) if is_connect(left) else table.select(*aggregates), how="left")


def with_first(
    left: DataFrame, right: DataFrame, conditions: Sequence[Condition], columns: dict[str, str], on: str, newest: bool
) -> DataFrame:
    """`left` with columns of the newest or the oldest row of `right` for which the conditions hold, or nulls.

    FROM left LEFT JOIN LATERAL (SELECT columns FROM right WHERE conditions ORDER BY on DESC LIMIT 1)

    `columns` has the new name of each column, and `on` is the time in SQL. Spark 3.5 refuses LIMIT there: it gets an
    aggregate.
    """
    named = [F.col(column).alias(name) for name, column in columns.items()]
    if _has_lateral_joins(left):
        order = F.expr(on).desc() if newest else F.expr(on).asc()
        return left.lateralJoin(_where(right, conditions).orderBy(order).limit(1).select(*named), how="left")
    first = (F.max_by if newest else F.min_by)(F.struct(*named), F.expr(on)).alias(_ROW)
    joined = with_aggregates(left, right, conditions, [first])
    return joined.select("*", f"{_ROW}.*").drop(_ROW)


_ROW = "slidewise_row"


def _has_lateral_joins(left: DataFrame) -> bool:
    return is_since("4.0", left.sparkSession.version)


def _where(right: DataFrame, conditions: Sequence[Condition]) -> Any:
    return right.where(_all(conditions, lambda expression: F.expr(expression).outer()))


def _all(conditions: Sequence[Condition], of_left: Callable[[str], Column]) -> Column:
    both: Column = reduce(lambda a, b: a & b, [_COMPARED[op](F.expr(c), of_left(value)) for c, op, value in conditions])
    return both
