"""Functions of users for the tests of streams."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled import compiled
from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def user_aggregators(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Registers what UserAggregators.scala has."""
    jar = compiled(Path(__file__).parent / "UserAggregators.scala", tmp_path_factory.mktemp("aggregators"))
    spark.sql(f"ADD JAR '{jar}'")
    loader = spark._jsparkSession.sharedState().jarClassLoader()
    loader.loadClass("UserAggregators").newInstance().accept(spark._jsparkSession)
