"""How a helper becomes a column: by name, so that it is the same on a classic session and on Spark Connect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pyspark.sql import functions as F  # noqa: N812

from slidewise._install import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column

    ColumnOrName: TypeAlias = Column | str
    Order: TypeAlias = ColumnOrName | Sequence[ColumnOrName]


def call(function: str, *arguments: ColumnOrName, order_by: Order | None = None) -> Column:
    """The SQL function of columns or their names; what is constant must be a `lit`.

    `order_by`: what WITHIN GROUP (ORDER BY …) has in SQL, as columns or names, `.desc()` where it descends.
    """
    keys: Sequence[ColumnOrName] = []
    if order_by is not None:
        keys = order_by if isinstance(order_by, (list, tuple)) else [cast("ColumnOrName", order_by)]
    require(function)
    # An order of an order is the inner one: a column does not tell whether it has one.
    return F.call_function(function, *arguments, *(F.asc(key) for key in keys))


def constants(*values: Any) -> list[Column]:
    """Literals, up to the first that is None: arguments that were left out."""
    given = values[: values.index(None)] if None in values else values
    if any(value is not None for value in values[len(given) :]):
        raise ValueError(f"the arguments end with {list(values)!r}, but none may follow one that is left out")
    return [F.lit(value) for value in given]
