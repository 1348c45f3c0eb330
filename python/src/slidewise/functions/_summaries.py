"""Counts and sums within a proven error: sketches of times that come in any order, and of the last rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from slidewise.functions._call import call, constants

if TYPE_CHECKING:
    from datetime import date, datetime, timedelta

    from pyspark.sql import Column

    from slidewise.functions._call import ColumnOrName


def sliding_count_sketch_agg(ts: ColumnOrName, max_width: timedelta | int, epsilon: float) -> Column:
    """A sketch, binary, of how many rows there were in any window of times up to `max_width`.

    For `sliding_sketch_estimate`. Rows may come in any order; the relative error is at most `epsilon`.

    >>> df = spark.createDataFrame([(3,), (9,), (8,), (5,)], "ts int")
    >>> sketch = sliding_count_sketch_agg("ts", max_width=20, epsilon=0.05)
    >>> df.select(sliding_sketch_estimate(sketch, 9, 4).alias("n")).collect()
    [Row(n=3.0)]
    """
    return call("sliding_count_sketch_agg", ts, *constants(max_width, epsilon))


def sliding_sum_sketch_agg(ts: ColumnOrName, x: ColumnOrName, max_width: timedelta | int, epsilon: float) -> Column:
    """A sketch, binary, of the sum of `x`, a whole number from 0, in any window of times up to `max_width`.

    >>> from datetime import datetime, timedelta
    >>> df = spark.sql("SELECT timestamp_seconds(s) AS ts, x FROM VALUES (60, 5), (0, 1), (90, 2) AS t(s, x)")
    >>> sketch = sliding_sum_sketch_agg("ts", "x", max_width=timedelta(hours=1), epsilon=0.05)
    >>> last_minute = sliding_sketch_estimate(sketch, F.timestamp_seconds(F.lit(90)), timedelta(minutes=1))
    >>> df.select(last_minute.alias("s")).collect()
    [Row(s=7.0)]
    """
    return call("sliding_sum_sketch_agg", ts, x, *constants(max_width, epsilon))


def sliding_sketch_union_agg(sketch: ColumnOrName) -> Column:
    """The sketch of all the rows that sketches of one `max_width` and `epsilon` were made of; merging adds no error.

    >>> df = spark.createDataFrame([(1, 3), (1, 8), (2, 12), (2, 9)], "hour int, ts int")
    >>> hours = df.groupBy("hour").agg(sliding_count_sketch_agg("ts", 20, 0.05).alias("s"))
    >>> hours.select(sliding_sketch_estimate(sliding_sketch_union_agg("s"), 12, 5).alias("n")).collect()
    [Row(n=3.0)]
    """
    return call("sliding_sketch_union_agg", sketch)


def sliding_sketch_estimate(
    sketch: ColumnOrName, now: ColumnOrName | datetime | date | int, width: ColumnOrName | timedelta | int
) -> Column:
    """About the count, or sum, of the rows with times from `now - width` to `now`, both included.

    >>> df = spark.createDataFrame([(3,), (9,), (8,)], "ts int")
    >>> sketches = df.select(sliding_count_sketch_agg("ts", 20, 0.05).alias("s"))
    >>> sketches.select(sliding_sketch_estimate("s", now=9, width=1).alias("n")).collect()
    [Row(n=2.0)]
    """
    return call("sliding_sketch_estimate", sketch, _column(now), _column(width))


def sliding_sketch_bounds(
    sketch: ColumnOrName, now: ColumnOrName | datetime | date | int, width: ColumnOrName | timedelta | int
) -> Column:
    """What the count, or sum, of the rows with times from `now - width` to `now` is at least and at most.

    >>> df = spark.createDataFrame([(3, 10), (9, 20), (8, 30)], "ts int, x int")
    >>> sketches = df.select(sliding_sum_sketch_agg("ts", "x", 20, 0.05).alias("s"))
    >>> sketches.select(sliding_sketch_bounds("s", now=9, width=1).alias("b")).first().b
    Row(lower=50.0, upper=50.0)
    """
    return call("sliding_sketch_bounds", sketch, _column(now), _column(width))


def approx_count_if(condition: ColumnOrName, epsilon: float) -> Column:
    """About the number of rows in which the condition is true: of W rows at most `epsilon` W off.

    Over the last W rows it keeps about 1 / (2 epsilon) bits and no rows; elsewhere it is exact.

    >>> df = spark.createDataFrame([(1, 5), (2, 1), (3, 7)], "i int, x int")
    >>> many = approx_count_if(F.col("x") > 1, epsilon=0.01).over(trailing(rows=2).orderBy("i"))
    >>> [row.n for row in df.select(many.alias("n")).collect()]
    [1.0, 1.0, 1.0]
    """
    return call("approx_count_if", condition, *constants(epsilon))


def approx_sum(x: ColumnOrName, upper_bound: float, epsilon: float) -> Column:
    """About the sum of numbers from 0 to `upper_bound`: of W rows at most `epsilon` W `upper_bound` off.

    Over the last W rows it keeps about 1 / (2 epsilon) bits and no rows; elsewhere it is exact.

    >>> df = spark.createDataFrame([(1, 5), (2, 1), (3, 7)], "i int, x int")
    >>> total = approx_sum("x", upper_bound=10, epsilon=0.01).over(trailing(rows=2).orderBy("i"))
    >>> [row.s for row in df.select(total.alias("s")).collect()]
    [5.0, 6.0, 8.0]
    """
    return call("approx_sum", x, *constants(upper_bound, epsilon))


def _column(value: ColumnOrName | datetime | date | timedelta | int) -> ColumnOrName:
    """A column or its name as it is, and anything else as a literal."""
    return value if isinstance(value, str) else F.lit(value)
