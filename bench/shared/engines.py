"""Who answers the queries over a file: Spark with Slidewise on and off, and DuckDB in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from shared.spark import SLIDEWISE, Switched, operators, plan
from shared.turns import Stoppable

THREADS = 2
DUCKDB = "DuckDB"
BATCH = 8_192
"""Rows of one Arrow batch."""


class Engine(Stoppable, Protocol):
    def source(self, file: Path) -> str:
        """The table in the file, as this engine's FROM clause names it."""
        ...

    def one_row(self, sql: str, operator: str) -> list[float]:
        """A query's only row. With Slidewise on, the plan must have the operator."""
        ...


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
        for _ in self._connection.sql(sql).to_arrow_reader(BATCH):
            pass

    def cancel(self) -> None:
        self._connection.interrupt()

    def one_row(self, sql: str, _: str) -> list[float]:
        return [*self._connection.execute(sql).fetchall()[0]]
