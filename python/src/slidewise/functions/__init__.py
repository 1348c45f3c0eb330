"""Slidewise's SQL functions as columns, and window frames in words.

Used as `pyspark.sql.functions` is, on classic sessions and on Spark Connect; every function takes columns or their names.

>>> import slidewise
>>> import slidewise.functions as sw
>>> from pyspark.sql import SparkSession
>>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
>>> _ = slidewise.install(spark)
>>> df = spark.createDataFrame([(1, 2.0), (2, 8.0), (3, 32.0)], "i int, x double")
>>> df.select(sw.geomean("x").over(sw.trailing(rows=2).orderBy("i")).alias("g")).show()
+----+
|   g|
+----+
| 2.0|
| 4.0|
|16.0|
+----+
<BLANKLINE>
"""

from slidewise.functions._extremes import arg_max, arg_min, m4, max_count, min_count
from slidewise.functions._frames import centered, trailing
from slidewise.functions._numbers import geomean
from slidewise.functions._series import (
    ewma,
    increase,
    longest_decreasing_run,
    longest_increasing_run,
    max_subarray_sum,
    rate,
    time_weighted_avg,
)

__all__ = [
    "arg_max",
    "arg_min",
    "centered",
    "ewma",
    "geomean",
    "increase",
    "longest_decreasing_run",
    "longest_increasing_run",
    "m4",
    "max_count",
    "max_subarray_sum",
    "min_count",
    "rate",
    "time_weighted_avg",
    "trailing",
]
