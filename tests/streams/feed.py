"""Rows that arrive in batches: a Parquet file for each, in order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

Row = dict[str, Any]


class Feed:
    """A folder of files, each of which one batch of a stream takes."""

    def __init__(self, folder: Path, arrow: pa.Schema, sql: str) -> None:
        """`sql`: the schema as Spark's DDL has it."""
        self.folder = folder
        self.arrow = arrow
        self.sql = sql
        self.batches: list[Sequence[Row]] = []
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def rows(self) -> list[Row]:
        return [row for batch in self.batches for row in batch]

    def arrive(self, rows: Sequence[Row]) -> None:
        number = len(self.batches)
        hidden, file = self.folder / f".{number:05}", self.folder / f"{number:05}.parquet"
        pq.write_table(pa.Table.from_pylist(list(rows), self.arrow), hidden)
        # The source takes files by their time.
        os.utime(hidden, (1_700_000_000 + number, 1_700_000_000 + number))
        hidden.rename(file)
        self.batches.append(rows)

    def stream(self, spark: SparkSession, files_a_batch: int = 1) -> DataFrame:
        reader = spark.readStream.schema(self.sql).option("maxFilesPerTrigger", files_a_batch)
        return reader.parquet(str(self.folder))

    def table(self, spark: SparkSession, rows: Sequence[Row], file: Path) -> DataFrame:
        """`rows` as a table of one partition, in which ties keep their order."""
        pq.write_table(pa.Table.from_pylist(list(rows), self.arrow), file)
        return spark.read.schema(self.sql).parquet(str(file))
