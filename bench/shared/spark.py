"""A Spark session with Slidewise, and its queries with Slidewise on and off."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SLIDEWISE, SPARK = "Slidewise", "Spark"
SLIDING_WINDOW, TOP_ROWS, HOPPING_WINDOW = "SlidingWindow", "WindowTopRows", "HoppingWindow"
WINDOW_JOIN, AS_OF_JOIN = "WindowJoin", "AsOfJoin"
"""Slidewise's operators, as plans name them."""


def session(name: str, threads: int, settings: Mapping[str, str] | None = None) -> Any:
    """A session with Slidewise on, whose shuffles have a partition for each thread."""
    from pyspark.sql import SparkSession

    import slidewise

    builder = SparkSession.Builder().master(f"local[{threads}]").appName(name)
    usual = {
        "spark.sql.shuffle.partitions": str(threads),
        "spark.driver.memory": "8g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for key, value in (usual | dict(settings or {})).items():
        builder = builder.config(key, value)
    spark = slidewise.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


class Switched:
    """Spark with Slidewise on or off, by its name. Queries end in the `noop` sink."""

    def __init__(self, spark: Any, name: str) -> None:
        self.spark, self.name = spark, name

    def frame(self, sql: str) -> Any:
        self.spark.conf.set("spark.slidewise.enabled", str(self.name == SLIDEWISE).lower())
        return self.spark.sql(sql)

    def run(self, sql: str) -> None:
        self.spark.sparkContext.setJobGroup(self.name, sql, interruptOnCancel=True)
        self.frame(sql).write.format("noop").mode("overwrite").save()

    def cancel(self) -> None:
        self.spark.sparkContext.cancelJobGroup(self.name)


def plan(frame: Any) -> str:
    return str(frame._jdf.queryExecution().executedPlan().toString())


def operators(planned: str) -> set[str]:
    """Slidewise's operators in a plan."""
    ours = (SLIDING_WINDOW, TOP_ROWS, HOPPING_WINDOW, WINDOW_JOIN, AS_OF_JOIN)
    # Spark's own operator is named SortMergeAsOfJoin.
    return {name for name in ours if re.search(rf"(?<!SortMerge){name} ", planned)}
