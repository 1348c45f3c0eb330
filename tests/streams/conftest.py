"""Functions of users for the tests of streams, and small states."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from session import settings

from streams.user_aggregators import register


@pytest.fixture
def one_partition(spark: SparkSession) -> Iterator[None]:
    """Each partition of state writes files of its own in each batch."""
    with settings(spark, {"spark.sql.shuffle.partitions": "1"}):
        yield


@pytest.fixture(scope="session")
def user_aggregators(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    register(spark, tmp_path_factory.mktemp("aggregators"))
