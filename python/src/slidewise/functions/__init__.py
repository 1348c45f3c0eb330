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

from slidewise.functions._frames import centered, trailing
from slidewise.functions._numbers import geomean

__all__ = ["centered", "geomean", "trailing"]
