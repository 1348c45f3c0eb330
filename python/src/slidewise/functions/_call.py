"""How a helper becomes a column: by name, so that it is the same on a classic session and on Spark Connect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql import functions as F  # noqa: N812

if TYPE_CHECKING:
    from pyspark.sql import Column

    ColumnOrName: TypeAlias = Column | str


def call(function: str, *arguments: ColumnOrName) -> Column:
    """The SQL function of columns or their names; what is constant must be a `lit`."""
    return F.call_function(function, *arguments)


def constants(*values: Any) -> list[Column]:
    """Literals, up to the first that is None: arguments that were left out."""
    given = values[: values.index(None)] if None in values else values
    if any(value is not None for value in values[len(given) :]):
        raise ValueError(f"the arguments end with {list(values)!r}, but none may follow one that is left out")
    return [F.lit(value) for value in given]
