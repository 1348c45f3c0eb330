"""Functions of users for the tests of streams, and small states."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from compiled import compiled
from pyspark.sql import SparkSession
from session import settings


@pytest.fixture
def one_partition(spark: SparkSession) -> Iterator[None]:
    """Each partition of state writes files of its own in each batch."""
    with settings(spark, {"spark.sql.shuffle.partitions": "1"}):
        yield


@pytest.fixture(scope="session")
def user_aggregators(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Registers what UserAggregators.scala has."""
    jar = compiled(Path(__file__).parent / "UserAggregators.scala", tmp_path_factory.mktemp("aggregators"))
    spark.sql(f"ADD JAR '{jar}'")
    loader = spark._jsparkSession.sharedState().jarClassLoader()
    loader.loadClass("UserAggregators").newInstance().accept(spark._jsparkSession)
