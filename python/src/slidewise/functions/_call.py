"""Calls SQL functions by name, which works on classic sessions and on Spark Connect."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from slidewise._features import require_spark
from slidewise._install import require

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime, timedelta
    from typing import TypeAlias

    from pyspark.sql import Column

    ColumnOrName: TypeAlias = Column | str
    Order: TypeAlias = ColumnOrName | Sequence[ColumnOrName]


def call(function: str, *arguments: ColumnOrName, order_by: Order | None = None) -> Column:
    """Calls a SQL function with columns or their names; a constant must be a `lit`.

    `order_by` stands for WITHIN GROUP (ORDER BY ...) in SQL: columns or names, `.desc()` for a descending order.
    """
    keys: Sequence[ColumnOrName] = []
    if order_by is not None:
        session = SparkSession.getActiveSession()
        if session is not None:
            require_spark("4.0", session.version, f"order_by of {function}, the WITHIN GROUP of SQL,")
        keys = order_by if isinstance(order_by, (list, tuple)) else [cast("ColumnOrName", order_by)]
    require(function)
    # A column does not tell whether it has a sort order; of two nested ones, Spark keeps the inner.
    return F.call_function(function, *arguments, *(F.asc(key) for key in keys))


def constants(*values: Any) -> list[Column]:
    """Literals of the values up to the first None, which stands for an omitted argument."""
    given = list(itertools.takewhile(lambda value: value is not None, values))
    if any(value is not None for value in values[len(given) :]):
        raise ValueError(f"the arguments end with {list(values)!r}, but no argument may follow an omitted one")
    return [F.lit(value) for value in given]


def column_of(value: ColumnOrName | datetime | date | timedelta | int) -> ColumnOrName:
    """A column or its name unchanged, and any other value as a literal."""
    return value if isinstance(value, str) else F.lit(value)
