"""Sketches: what is probably in a frame, and about how often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slidewise.functions._call import call, constants

if TYPE_CHECKING:
    from pyspark.sql import Column

    from slidewise.functions._call import ColumnOrName


def bloom_filter_agg(x: ColumnOrName, expected: int | None = None, bits: int | None = None) -> Column:
    """A Bloom filter of the values, binary, in Spark's format; for `might_contain`.

    >>> df = spark.createDataFrame([(1, "a"), (2, "b"), (3, "c")], "i int, x string")
    >>> last_two = bloom_filter_agg("x", expected=100).over(trailing(rows=2).orderBy("i"))
    >>> [row.seen for row in df.select(might_contain(last_two, F.lit("a")).alias("seen")).collect()]
    [True, True, False]
    """
    return call("bloom_filter_agg", x, *constants(expected, bits))


def might_contain(filter: ColumnOrName, x: ColumnOrName) -> Column:
    """False if the value is not in the Bloom filter, and true if it probably is.

    >>> df = spark.createDataFrame([(3,), (5,)], "x int").select(bloom_filter_agg("x").alias("f"))
    >>> df.select(might_contain("f", F.lit(3)).alias("three"), might_contain("f", F.lit(4)).alias("four")).collect()
    [Row(three=True, four=False)]
    """
    return call("might_contain", filter, x)


def count_min_sketch_estimate(sketch: ColumnOrName, x: ColumnOrName) -> Column:
    """About how often the value occurs among those of a sketch by Spark's `count_min_sketch`; never less than it does.

    >>> df = spark.createDataFrame([("a",), ("b",), ("a",)], "x string")
    >>> sketch = F.count_min_sketch("x", F.lit(0.01), F.lit(0.99), F.lit(1))
    >>> df.select(count_min_sketch_estimate(sketch, F.lit("a")).alias("n")).collect()
    [Row(n=2)]
    """
    return call("count_min_sketch_estimate", sketch, x)


def count_min_sketch_merge_agg(sketch: ColumnOrName) -> Column:
    """The sketch of all the values of sketches by Spark's `count_min_sketch`.

    >>> df = spark.createDataFrame([(1, 1), (2, 1), (2, 5)], "day int, x int")
    >>> days = df.groupBy("day").agg(F.count_min_sketch("x", F.lit(0.1), F.lit(0.9), F.lit(1)).alias("s"))
    >>> days.select(count_min_sketch_estimate(count_min_sketch_merge_agg("s"), F.lit(1)).alias("n")).collect()
    [Row(n=2)]
    """
    return call("count_min_sketch_merge_agg", sketch)
