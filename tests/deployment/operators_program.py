"""Asks the query of each operator with Slidewise on and off, and keeps the rows on disk and in a broadcast.

Prints a line for each query: its name, whether the plan has the operators, and whether the rows are the same.
The argument, if there is one, is the number of seconds between two queries.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql.functions import broadcast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from plans import plan
from session import settings

from deployment.operators import QUERIES, Query


def answers(spark: SparkSession, query: Query, on: bool) -> tuple[bool, list[list[str]]]:
    with settings(spark, query.settings | {"spark.slidewise.enabled": str(on).lower()}):
        sql = query.sql if on or query.in_spark is None else query.in_spark
        asked = spark.sql(sql)
        found = [asked, spark.sql(sql).persist(StorageLevel.DISK_ONLY)]
        found.append(spark.table("keys").join(broadcast(spark.sql(sql)), on="id"))
        rows = [sorted(map(repr, frame.collect())) for frame in found]
        found[1].unpersist()
        return query.is_taken(plan(asked)), rows


def main() -> None:
    spark = SparkSession.builder.getOrCreate()
    for name, query in QUERIES.items():
        keys = "timestamp_seconds(id * 300)" if name == "hopping" else "id"
        spark.range(0, 100).selectExpr(f"{keys} AS id").createOrReplaceTempView("keys")
        taken, on = answers(spark, query, on=True)
        _, off = answers(spark, query, on=False)
        print(f"{name}: taken {taken}, same {on == off and all(on)}", flush=True)
        time.sleep(float(sys.argv[1]) if len(sys.argv) > 1 else 0)


if __name__ == "__main__":
    main()
