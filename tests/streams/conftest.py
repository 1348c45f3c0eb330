"""Random queries for tests of streams, and functions of users for them."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from compiled import compiled
from pyspark.sql import SparkSession


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "stream_seed" in metafunc.fixturenames:
        asked = os.environ.get("SLIDEWISE_SEED", "8")
        seed = random.randrange(10**9) if asked == "random" else int(asked)
        queries = int(os.environ.get("SLIDEWISE_STREAM_QUERIES", "40"))
        metafunc.parametrize("stream_seed", [seed])
        metafunc.parametrize("index", range(queries), ids=str)


@pytest.fixture(scope="session")
def user_aggregators(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Registers what UserAggregators.scala has."""
    jar = compiled(Path(__file__).parent / "UserAggregators.scala", tmp_path_factory.mktemp("aggregators"))
    spark.sql(f"ADD JAR '{jar}'")
    loader = spark._jsparkSession.sharedState().jarClassLoader()
    loader.loadClass("UserAggregators").newInstance().accept(spark._jsparkSession)
