"""Who answers the queries: Spark with Slidewise on and off, and engines that run in this process."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Protocol

from shared.spark import SLIDEWISE, SPARK, Switched, operators, plan
from shared.turns import Stoppable

THREADS = 2
DUCKDB, DATAFUSION = "DuckDB", "DataFusion"
_BATCH = 8_192
"""Rows of one Arrow batch."""


class Engine(Stoppable, Protocol):
    def source(self, file: Path) -> str:
        """The table in the file, as this engine's FROM clause names it."""
        ...

    def one_row(self, sql: str, operator: str) -> list[float]:
        """A query's only row. With Slidewise on, the plan must have the operator."""
        ...


def installed(spark: Any) -> list[Engine]:
    """Spark in both ways, and the engines whose packages are there."""
    others = {"duckdb": DuckDB, "datafusion": DataFusion}
    here = [engine() for package, engine in others.items() if importlib.util.find_spec(package)]
    return [Spark(spark, SLIDEWISE), Spark(spark, SPARK), *here]


class Spark(Switched):
    def source(self, file: Path) -> str:
        return f"parquet.`{file}`"

    def one_row(self, sql: str, operator: str) -> list[float]:
        frame = self.frame(sql)
        planned = plan(frame)
        ours = operators(planned)
        asked = operator in ours if self.name == SLIDEWISE else not ours
        assert asked, f"not what {self.name} should run:\n{planned}"
        return [*frame.collect()[0]]


class DuckDB:
    """Drops each Arrow batch of the answer before it asks for the next."""

    name = DUCKDB

    def __init__(self) -> None:
        import duckdb

        self._connection = duckdb.connect()
        self._connection.execute(f"SET threads = {THREADS}")

    def source(self, file: Path) -> str:
        return f"read_parquet('{file}')"

    def run(self, sql: str) -> None:
        for _ in self._connection.sql(sql).to_arrow_reader(_BATCH):
            pass

    def cancel(self) -> None:
        self._connection.interrupt()

    def one_row(self, sql: str, _: str) -> list[float]:
        return [*self._connection.execute(sql).fetchall()[0]]


class DataFusion:
    """Drops each Arrow batch of the answer before it asks for the next; it can be stopped between two batches."""

    name = DATAFUSION

    def __init__(self) -> None:
        from datafusion import SessionConfig, SessionContext

        self._context = SessionContext(SessionConfig().with_target_partitions(THREADS).with_batch_size(_BATCH))
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
