"""Aggregates of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slidewise.functions._call import call

if TYPE_CHECKING:
    from pyspark.sql import Column

    from slidewise.functions._call import ColumnOrName


def geomean(x: ColumnOrName) -> Column:
    """The geometric mean, a double: the n-th root of the product of the values that are not null.

    0 if a value is 0, NaN if one is negative; it does not overflow on the way.

    >>> df = spark.createDataFrame([(2.0,), (8.0,), (None,)], "x double")
    >>> df.select(geomean("x").alias("g")).show()
    +---+
    |  g|
    +---+
    |4.0|
    +---+
    <BLANKLINE>
    """
    return call("geomean", x)
