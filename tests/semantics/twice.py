"""Tables in columns, and queries that read them twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from session import settings

from semantics.sharing import ALONE, TABLE, Sharing, difference, named

SHUFFLED = {"spark.slidewise.parallel.readTwice": "false"}
READ_TWICE = "RowsReadTwice"


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The table as Parquet and ORC, in a cache, in partitions by `three`, and without rows."""
    root = tmp_path_factory.mktemp("tables")
    rows = spark.sql(TABLE)
    rows.repartition(3, "id").write.parquet(f"{root}/parquet")
    rows.repartition(3, "id").write.orc(f"{root}/orc")
    rows.repartition("three").write.partitionBy("three").parquet(f"{root}/parts")
    rows.where("id < 0").write.parquet(f"{root}/empty")
    spark.read.parquet(f"{root}/parquet").createOrReplaceTempView("in_parquet")
    spark.read.orc(f"{root}/orc").createOrReplaceTempView("in_orc")
    spark.read.parquet(f"{root}/parts").createOrReplaceTempView("in_parts")
    spark.read.schema(rows.schema).parquet(f"{root}/empty").createOrReplaceTempView("in_empty")
    spark.sql("CACHE TABLE in_cache AS SELECT *, id + 1 AS more FROM in_parquet")
    spark.sql("CACHE TABLE numbers_in_cache AS SELECT id, l, d FROM in_parquet")
    yield root
    for cached in ("in_cache", "numbers_in_cache"):
        spark.sql(f"UNCACHE TABLE {cached}")
        spark.catalog.dropTempView(cached)
    for table in ("parquet", "orc", "parts", "empty"):
        spark.catalog.dropTempView(f"in_{table}")


@pytest.fixture
def small_splits(spark: SparkSession) -> Iterator[None]:
    """A file is a partition, however small it is."""
    with settings(
        spark,
        {
            "spark.sql.files.openCostInBytes": "1g",
            "spark.sql.files.minPartitionNum": "3",
        },
    ):
        yield


def ask(sharing: Sharing, query: str, **more: str) -> DataFrame:
    """Compares the rows of a query that reads its table twice with those of a shuffle, of one task, and of Spark."""
    sharing.ask(query, spark_too=True, tasks=range(1, 8), **more)
    changes = {f"spark.sql.{key.replace('_', '.')}": value for key, value in more.items()}
    found, frame = sharing.run(query, changes)
    shuffled, other = sharing.run(query, changes | SHUFFLED)
    assert difference(found, shuffled, in_order=False) is None
    assert not named(other, READ_TWICE)
    return frame


def answer(sharing: Sharing, query: str, changes: dict[str, str] | None = None) -> DataFrame:
    """Compares the rows of a query with those of Spark."""
    changes = changes or {}
    found, frame = sharing.run(query, changes)
    assert difference(found, sharing.run(query, changes | ALONE)[0], in_order=False) is None
    return frame


def keys_of(frame: DataFrame) -> list[int]:
    """How many keys each table has that is read twice; 0 if it was read once after all."""
    return [int(node.metrics().apply("partitions").value()) for node in named(frame, READ_TWICE)]
