"""Aggregates of rows in order: over windows that have one, or, in `groupBy`, in that of `order_by`.

There the rows of a group are kept until all are there; rows that tie go by the arguments, the least first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from slidewise.functions._call import call, constants

if TYPE_CHECKING:
    from pyspark.sql import Column

    from slidewise.functions._call import ColumnOrName, Order


def max_subarray_sum(x: ColumnOrName, *, order_by: Order | None = None) -> Column:
    """The greatest sum of consecutive values, at least one.

    >>> df = spark.createDataFrame([(1, 4), (2, -1), (3, 3), (4, -5)], "i int, x int")
    >>> [row.s for row in df.select(max_subarray_sum("x").over(trailing(rows=3).orderBy("i")).alias("s")).collect()]
    [4, 4, 6, 3]
    """
    return call("max_subarray_sum", x, order_by=order_by)


def ewma(x: ColumnOrName, alpha: float, adjust: bool | None = None, *, order_by: Order | None = None) -> Column:
    """The exponentially weighted mean, as pandas' `ewm(alpha=…, adjust=…, ignore_na=True).mean()` has it.

    >>> df = spark.createDataFrame([(1, 1.0), (2, 2.0), (3, 4.0)], "i int, x double")
    >>> mean = ewma("x", alpha=0.5, adjust=False).over(trailing(rows=2).orderBy("i"))
    >>> [row.m for row in df.select(mean.alias("m")).collect()]
    [1.0, 1.5, 3.0]
    >>> df.groupBy().agg(ewma("x", alpha=0.5, adjust=False, order_by=F.col("i").desc()).alias("m")).collect()
    [Row(m=2.0)]
    """
    return call("ewma", x, *constants(alpha, adjust), order_by=order_by)


def time_weighted_avg(
    t: ColumnOrName,
    x: ColumnOrName,
    method: Literal["locf", "linear"] | None = None,
    *,
    order_by: Order | None = None,
) -> Column:
    """The mean over the time from the first row to the last: of a value that holds until the next row ("locf", the
    default), or of straight lines between the rows ("linear").

    >>> df = spark.createDataFrame([(0, 10.0), (9, 20.0), (10, 0.0)], "t int, x double")
    >>> mean = time_weighted_avg("t", "x").over(trailing(rows=3).orderBy("t"))
    >>> [row.m for row in df.select(mean.alias("m")).collect()]
    [10.0, 10.0, 11.0]
    """
    return call("time_weighted_avg", t, x, *constants(method), order_by=order_by)


def rate(t: ColumnOrName, x: ColumnOrName, *, order_by: Order | None = None) -> Column:
    """What a counter grew by in a second, from the first row to the last; a counter that falls has begun again from 0.

    >>> df = spark.createDataFrame([(0, 5), (10, 9), (20, 3)], "t int, x int")
    >>> [row.r for row in df.select(rate("t", "x").over(trailing(rows=2).orderBy("t")).alias("r")).collect()]
    [None, 0.4, 0.3]
    """
    return call("rate", t, x, order_by=order_by)


def increase(t: ColumnOrName, x: ColumnOrName, *, order_by: Order | None = None) -> Column:
    """What a counter grew by from the first row to the last; a counter that falls has begun again from 0.

    >>> df = spark.createDataFrame([(0, 5), (10, 9), (20, 3)], "t int, x int")
    >>> [row.n for row in df.select(increase("t", "x").over(trailing(rows=3).orderBy("t")).alias("n")).collect()]
    [None, 4, 7]
    """
    return call("increase", t, x, order_by=order_by)


def longest_increasing_run(x: ColumnOrName, strict: bool | None = None, *, order_by: Order | None = None) -> Column:
    """The longest run of values each of which is greater than the one before it, or, if not strict, not less.

    >>> df = spark.createDataFrame([(1, 5), (2, 2), (3, 4), (4, 9)], "i int, x int")
    >>> run = longest_increasing_run("x").over(trailing(rows=4).orderBy("i"))
    >>> df.select(run.alias("run")).collect()[-1].run
    Row(length=3, first_position=2, last_position=4, start_value=2, end_value=9)
    """
    return call("longest_increasing_run", x, *constants(strict), order_by=order_by)


def longest_decreasing_run(x: ColumnOrName, strict: bool | None = None, *, order_by: Order | None = None) -> Column:
    """The longest run of values each of which is less than the one before it, or, if not strict, not greater.

    >>> df = spark.createDataFrame([(1, 5), (2, 5), (3, 4), (4, 9)], "i int, x int")
    >>> run = longest_decreasing_run("x", strict=False).over(trailing(rows=4).orderBy("i"))
    >>> df.select(run.alias("run")).collect()[-1].run.length
    3
    """
    return call("longest_decreasing_run", x, *constants(strict), order_by=order_by)
