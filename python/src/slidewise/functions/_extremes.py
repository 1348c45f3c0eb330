"""Aggregates of the greatest and the least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from slidewise.functions._call import call, constants

if TYPE_CHECKING:
    from pyspark.sql import Column

    from slidewise.functions._call import ColumnOrName, Order

Ties = Literal["first", "last"]


def max_count(x: ColumnOrName) -> Column:
    """How often the greatest value occurs, a bigint: 0 where there is none but nulls.

    >>> df = spark.createDataFrame([(4,), (5,), (None,), (5,)], "x int")
    >>> df.select(max_count("x").alias("n")).collect()
    [Row(n=2)]
    """
    return call("max_count", x)


def min_count(x: ColumnOrName) -> Column:
    """How often the least value occurs, a bigint: 0 where there is none but nulls.

    >>> df = spark.createDataFrame([(4,), (5,), (None,), (5,)], "x int")
    >>> df.select(min_count(F.col("x")).alias("n")).collect()
    [Row(n=1)]
    """
    return call("min_count", x)


def arg_max(
    key: ColumnOrName, value: ColumnOrName, ties: Ties | None = None, *, order_by: Order | None = None
) -> Column:
    """The key of the row in which the value is greatest; of several, the first or the last in the order of the window,
    or, in `groupBy`, of `order_by`.

    >>> df = spark.createDataFrame([(1, "a", 5), (2, "b", 5)], "i int, k string, v int")
    >>> last = arg_max("k", "v", ties="last").over(trailing(rows=2).orderBy("i"))
    >>> [row.k for row in df.select(last.alias("k")).collect()]
    ['a', 'b']
    """
    return call("arg_max", key, value, *constants(ties), order_by=order_by)


def arg_min(
    key: ColumnOrName, value: ColumnOrName, ties: Ties | None = None, *, order_by: Order | None = None
) -> Column:
    """The key of the row in which the value is least; of several, the first or the last in the order of the window,
    or, in `groupBy`, of `order_by`.

    >>> df = spark.createDataFrame([("a", 5), ("b", 3)], "k string, v int")
    >>> df.select(arg_min("k", "v").alias("k")).collect()
    [Row(k='b')]
    """
    return call("arg_min", key, value, *constants(ties), order_by=order_by)


def m4(t: ColumnOrName, v: ColumnOrName) -> Column:
    """The first, last, lowest and highest point, each a struct of `t` and `v`: what a line chart of them needs.

    >>> df = spark.createDataFrame([(1, 5), (2, 9), (3, 1), (4, 6)], "t int, v int")
    >>> points = df.select(m4("t", "v").alias("p")).first().p
    >>> points.first, points.highest
    (Row(t=1, v=5), Row(t=2, v=9))
    """
    return call("m4", t, v)
