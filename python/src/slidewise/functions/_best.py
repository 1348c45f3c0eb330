"""The best of a frame, as many as are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from slidewise.functions._call import call

if TYPE_CHECKING:
    from pyspark.sql import Column

    from slidewise.functions._call import ColumnOrName, Order


def top_k(x: ColumnOrName, k: int) -> Column:
    """The `k` greatest values, the greatest first; null where there are none.

    >>> df = spark.createDataFrame([(1, "c"), (2, "a"), (3, "b")], "i int, x string")
    >>> [row.t for row in df.select(top_k("x", 2).over(trailing(rows=3).orderBy("i")).alias("t")).collect()]
    [['c'], ['c', 'a'], ['c', 'b']]
    """
    return call("top_k", x, F.lit(k))


def bottom_k(x: ColumnOrName, k: int) -> Column:
    """The `k` least values, the least first; null where there are none.

    >>> df = spark.createDataFrame([(4,), (7,), (None,), (1,)], "x int")
    >>> df.select(bottom_k("x", 2).alias("b")).collect()
    [Row(b=[1, 4])]
    """
    return call("bottom_k", x, F.lit(k))


def top_k_by(x: ColumnOrName, y: ColumnOrName, k: int, *, order_by: Order | None = None) -> Column:
    """`x` of the `k` rows in which `y` is greatest, that of the greatest first; of rows that tie, the first in the
    order of the window, or, in `groupBy`, of `order_by`.

    >>> df = spark.createDataFrame([("a", 1), ("b", 3), ("c", 1)], "x string, y int")
    >>> df.select(top_k_by("x", "y", 2, order_by="x").alias("t")).collect()
    [Row(t=['b', 'a'])]
    """
    return call("top_k_by", x, y, F.lit(k), order_by=order_by)
