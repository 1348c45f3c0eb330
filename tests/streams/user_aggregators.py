"""Aggregate functions of users, for random streams."""

from __future__ import annotations

from pathlib import Path

from compiled import compiled
from pyspark.sql import SparkSession


def register(spark: SparkSession, folder: Path) -> None:
    """Registers what UserAggregators.scala has, once a session. Its JVM reads the jar from `folder` until it ends."""
    if spark.catalog.functionExists("longest_rise"):
        return
    jar = compiled(Path(__file__).parent / "UserAggregators.scala", folder)
    spark.sql(f"ADD JAR '{jar}'")
    loader = spark._jsparkSession.sharedState().jarClassLoader()
    loader.loadClass("UserAggregators").newInstance().accept(spark._jsparkSession)
