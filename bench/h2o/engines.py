"""Who answers the queries: Spark with Slidewise on and off, and engines that run in this process."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from shared.engines import BATCH, DUCKDB, THREADS, DuckDB, Engine, Spark
from shared.spark import SLIDEWISE, SPARK

__all__ = ["DATAFUSION", "DUCKDB", "THREADS", "Engine", "installed"]

DATAFUSION = "DataFusion"


def installed(spark: Any) -> list[Engine]:
    """Spark in both ways, and the engines whose packages are there."""
    others = {"duckdb": DuckDB, "datafusion": DataFusion}
    here = [engine() for package, engine in others.items() if importlib.util.find_spec(package)]
    return [Spark(spark, SLIDEWISE), Spark(spark, SPARK), *here]


class DataFusion:
    """Drops each Arrow batch of the answer before it asks for the next; it can be stopped between two batches."""

    name = DATAFUSION

    def __init__(self) -> None:
        from datafusion import SessionConfig, SessionContext

        self._context = SessionContext(SessionConfig().with_target_partitions(THREADS).with_batch_size(BATCH))
        self._cancelled = False

    def source(self, file: Path) -> str:
        name = file.stem.replace("=", "_").replace("-", "_")
        if not self._context.table_exist(name):
            self._context.register_parquet(name, str(file))
        return name

    def run(self, sql: str) -> None:
        self._cancelled = False
        for _ in self._context.sql(sql).execute_stream():
            if self._cancelled:
                break

    def cancel(self) -> None:
        self._cancelled = True

    def one_row(self, sql: str, _: str) -> list[float]:
        return [column[0].as_py() for column in self._context.sql(sql).to_arrow_table().columns]
