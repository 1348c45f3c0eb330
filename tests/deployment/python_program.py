"""What `make test-pythons` runs: windows, an aggregator in Python, the doctor and a picture."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as sf
from pyspark.sql.types import DoubleType, LongType, StructField, StructType

import slidewise
import slidewise.functions as sw


class Mean(slidewise.Aggregator):
    bufferSchema = StructType([StructField("sum", DoubleType()), StructField("count", LongType())])  # noqa: N815
    outputType = DoubleType()  # noqa: N815

    def zero(self):
        return (0.0, 0)

    def reduce(self, buffer, value):
        return (buffer[0] + value[0], buffer[1] + 1)

    def merge(self, older, newer):
        return (older[0] + newer[0], older[1] + newer[1])

    def finish(self, buffer):
        return buffer[0] / buffer[1] if buffer[1] else None


def main() -> None:
    builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", "2")
    spark = slidewise.configure(builder.config("spark.ui.enabled", "false")).getOrCreate()
    rows = spark.range(2000).selectExpr("id", "id % 7 AS k", "CAST(id % 101 AS DOUBLE) AS x")
    last = Window.partitionBy("k").orderBy("id").rowsBetween(-99, 0)
    found = {}
    for on in (True, False):
        spark.conf.set("spark.slidewise.enabled", str(on).lower())
        query = rows.select("id", sf.sum("x").over(last).alias("s"), sf.max("x").over(last).alias("m"))
        found[on] = sorted(map(tuple, query.collect()))
    assert found[True] == found[False]
    spark.conf.set("spark.slidewise.enabled", "true")
    means = rows.select("id", slidewise.udaf(Mean())("x").over(last).alias("a"), sf.avg("x").over(last).alias("b"))
    assert all(abs(row.a - row.b) < 1e-9 for row in means.collect())
    assert rows.select(sw.geomean(sf.col("x") + 1).over(last).alias("g")).where("g IS NULL").count() == 0
    series = rows.selectExpr("timestamp_seconds(id * 60) AS t", "x", "CAST(k AS STRING) AS k")
    slidewise.plot(series, "t", "x", "k")
    print(slidewise.doctor(spark))
    print(f"Python {sys.version.split()[0]}, Spark {spark.version}: passed")
    spark.stop()


if __name__ == "__main__":
    main()
