"""Times and keys of the two sides of a join, by the names of their columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegralType, NumericType

from slidewise._spark_objects import check_is_a

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType

_joins = itertools.count(1)


@dataclass(frozen=True)
class Side:
    """A table with its columns of times and keys."""

    table: DataFrame
    on: str
    by: tuple[str, ...]
    argument: str
    """The argument that names the column of times: `on`, `left_on` or `right_on`."""

    @property
    def type_of_time(self) -> str:
        """The type of the column of times, as Spark writes it."""
        return self._type.simpleString()

    @property
    def kind_of_time(self) -> str:
        """`number`, `time`, or another type as Spark writes it."""
        if isinstance(self._type, NumericType):
            return "number"
        return "time" if self.type_of_time.startswith(("date", "timestamp")) else self.type_of_time

    @property
    def has_whole_numbers(self) -> bool:
        return isinstance(self._type, IntegralType)

    @property
    def _type(self) -> DataType:
        return self.table.schema[self.table.columns.index(self.on)].dataType


@dataclass(frozen=True)
class Sides:
    """The two sides of a join. In conditions, `alias` qualifies the columns of `left`; no other join has this alias."""

    left: Side
    right: Side
    case_sensitive: bool
    alias: str

    @property
    def time(self) -> str:
        """The time of a row of `left` in SQL."""
        return f"{self.alias}.{quoted(self.left.on)}"

    @property
    def same_keys(self) -> list[tuple[str, str, str]]:
        """The conditions on the keys: column of `right`, operator, expression of `left`."""
        return [(quoted(r), "=", f"{self.alias}.{quoted(k)}") for k, r in zip(self.left.by, self.right.by)]

    @property
    def merged(self) -> set[str]:
        """The columns of `right` that are joined with a column of `left` of the same name."""
        pairs = zip((self.left.on, *self.left.by), (self.right.on, *self.right.by))
        return {right for left, right in pairs if self.folded(left) == self.folded(right)}

    def compared(self, bounds: Sequence[str]) -> Callable[[str], str]:
        """Casts times of `right` and bounds to one type, in which both ends of a range are compared.

        `bounds` are expressions of `left` in SQL. Asks Spark for their types unless all are known to be of one.
        """
        types = {side.type_of_time for side in (self.left, self.right)}
        if types in ({"timestamp"}, {"timestamp_ntz"}, {"bigint"}) or not bounds:
            return str
        left = self.left.table.alias(self.alias)
        columns = [left.select(F.expr(bound)) for bound in bounds]
        columns.append(self.right.table.select(quoted(self.right.on)))
        if len({column.schema[0].dataType for column in columns}) == 1:
            return str
        common = reduce(lambda a, b: a.union(b), columns).schema[0].dataType.simpleString()
        return lambda value: f"cast({value} AS {common})"

    def check_kind(self, what: str) -> str:
        """Whether the times are numbers or times. Refuses other types, on which there is no distance."""
        kind = self.left.kind_of_time
        if kind not in ("time", "number"):
            raise TypeError(
                f"{self.left.argument} is {self.left.on!r} of type {kind}, but {what} needs a number, a date or a "
                "timestamp"
            )
        return kind

    def folded(self, name: str) -> str:
        """The name in the form that Spark compares."""
        return name if self.case_sensitive else name.lower()


def quoted(name: str) -> str:
    """The name of a column in SQL.

    >>> print(quoted("a.b`c"))
    `a.b``c`
    """
    return "`" + name.replace("`", "``") + "`"


def sides_of(
    left: Any,
    right: Any,
    on: str | None,
    left_on: str | None,
    right_on: str | None,
    by: str | Sequence[str] | None,
    left_by: str | Sequence[str] | None,
    right_by: str | Sequence[str] | None,
) -> Sides:
    """Checks the arguments that name the columns, and finds the columns."""
    for argument, table in (("left", left), ("right", right)):
        check_is_a("DataFrame", argument, table)
        if table.isStreaming:
            raise ValueError(
                f"{argument} is a streaming DataFrame, but must be a table: both tables are read as a whole"
            )
    case_sensitive = left.sparkSession.conf.get("spark.sql.caseSensitive", "false").strip().lower() == "true"
    times = _two_of("on", on, left_on, right_on)
    keys = _two_of("by", by, left_by, right_by)
    if times is None:
        raise ValueError("on is None, but must name the column of times of both tables; left_on and right_on name two")
    found = [
        Side(
            table,
            _one_column(table, side, times[at], case_sensitive),
            () if keys is None else _columns(table, side, keys[at], case_sensitive),
            times[at][0],
        )
        for at, (side, table) in enumerate((("left", left), ("right", right)))
    ]
    if keys is not None and len(found[0].by) != len(found[1].by):
        raise ValueError(
            f"left_by is {keys[0][1]!r} and right_by is {keys[1][1]!r}, but both must name the same number of columns"
        )
    kinds = [side.kind_of_time for side in found]
    if kinds[0] != kinds[1]:
        raise TypeError(
            f"{found[0].argument} is {found[0].on!r}, a {kinds[0]} of left, and {found[1].argument} is "
            f"{found[1].on!r}, a {kinds[1]} of right, but both must be times or both numbers"
        )
    return Sides(found[0], found[1], case_sensitive, f"slidewise_left_{next(_joins)}")


def _two_of(argument: str, both: Any, left: Any, right: Any) -> tuple[tuple[str, Any], tuple[str, Any]] | None:
    """The arguments for the two sides, each with its value. None if no value is given."""
    given = f"{argument} is {both!r}, left_{argument} is {left!r} and right_{argument} is {right!r}"
    if both is not None:
        if left is not None or right is not None:
            raise ValueError(f"{given}, but {argument} excludes the two others")
        return (argument, both), (argument, both)
    if (left is None) != (right is None):
        raise ValueError(f"{given}, but left_{argument} and right_{argument} must be given together")
    return None if left is None else ((f"left_{argument}", left), (f"right_{argument}", right))


def _columns(table: DataFrame, side: str, given: tuple[str, Any], case_sensitive: bool) -> tuple[str, ...]:
    argument, value = given
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, Sequence):
        raise TypeError(f"{argument} is {value!r:.200}, but must be the name of a column, or a list of names")
    return tuple(_one_column(table, side, (argument, name), case_sensitive) for name in names)


def _one_column(table: DataFrame, side: str, given: tuple[str, Any], case_sensitive: bool) -> str:
    argument, name = given
    if not isinstance(name, str):
        raise TypeError(f"{argument} is {name!r:.200}, but must be the name of a column")
    has = [c for c in table.columns if c == name or (not case_sensitive and c.lower() == name.lower())]
    if not has:
        raise ValueError(f"{argument} is {name!r}, but {side} has the columns {', '.join(table.columns)}")
    if len(has) > 1:
        raise ValueError(f"{argument} is {name!r}, but {side} has several columns with this name: rename all but one")
    return has[0]
