"""Slidewise's SQL functions as columns, and window frames in words.

Used as `pyspark.sql.functions` is, on classic sessions and on Spark Connect; every function takes columns or
their names.

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

from slidewise.functions._best import bottom_k, top_k, top_k_by
from slidewise.functions._classifiers import naive_bayes_agg, naive_bayes_predict, naive_bayes_score
from slidewise.functions._extremes import arg_max, arg_min, m4, max_count, min_count
from slidewise.functions._frames import centered, over, trailing
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
from slidewise.functions._sketches import (
    bloom_filter_agg,
    count_min_sketch_estimate,
    count_min_sketch_merge_agg,
    might_contain,
)
from slidewise.functions._summaries import (
    approx_count_if,
    approx_sum,
    async_count_sketch_agg,
    async_sketch_bounds,
    async_sketch_estimate,
    async_sketch_union_agg,
    async_sum_sketch_agg,
)

__all__ = [
    "approx_count_if",
    "approx_sum",
    "arg_max",
    "arg_min",
    "async_count_sketch_agg",
    "async_sketch_bounds",
    "async_sketch_estimate",
    "async_sketch_union_agg",
    "async_sum_sketch_agg",
    "bloom_filter_agg",
    "bottom_k",
    "centered",
    "count_min_sketch_estimate",
    "count_min_sketch_merge_agg",
    "ewma",
    "geomean",
    "increase",
    "longest_decreasing_run",
    "longest_increasing_run",
    "m4",
    "max_count",
    "max_subarray_sum",
    "might_contain",
    "min_count",
    "naive_bayes_agg",
    "naive_bayes_predict",
    "naive_bayes_score",
    "over",
    "rate",
    "time_weighted_avg",
    "top_k",
    "top_k_by",
    "trailing",
]
