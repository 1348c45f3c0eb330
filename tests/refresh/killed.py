"""Refreshes a folder of Parquet files by one day for each line of its input, until it is killed."""

from __future__ import annotations

import sys

from pyspark.sql import DataFrame, SparkSession

import slidewise

ROWS_A_DAY = 24 * 40
QUERY = """SELECT id, k, day, sum(x) OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL 3 DAYS PRECEDING) AS v,
  count(*) OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL 1 DAY FOLLOWING) AS n FROM pay"""


def pay(spark: SparkSession, days: int, first: int = 0) -> DataFrame:
    return spark.sql(
        f"""SELECT id, id % 11 AS k, timestamp_seconds(id * 90) AS ts, id DIV {ROWS_A_DAY} AS day, id * 7 % 101 AS x
        FROM range({first * ROWS_A_DAY}, {days * ROWS_A_DAY})"""
    )


def of_day(spark: SparkSession, target: str, days: int) -> slidewise.Refresh:
    """The refresh after the last of some days."""
    pay(spark, days).createOrReplaceTempView("pay")
    return slidewise.Refresh(spark.sql(QUERY), target, keys="id", changes=pay(spark, days, days - 1))


def main(folder: str, days: int) -> None:
    builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", 2)
    spark = slidewise.configure(builder.config("spark.ui.enabled", "false")).getOrCreate()
    print("ready", flush=True)
    for day, _ in enumerate(sys.stdin, days):
        of_day(spark, f"parquet.`{folder}`", day).run()
        print("ready", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
