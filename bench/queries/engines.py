"""Who answers a case: Spark in several settings, and engines that keep all data in one process."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from cases import Case, Same

THREADS = 2

SLIDEWISE = "Slidewise"
SPARK = "Spark"
SEGMENT_TREE = "Spark with segment tree"
FLOOR = "row_number()"
DUCKDB = "DuckDB"
POLARS = "Polars"
PANDAS = "pandas"
DATAFUSION = "DataFusion"
CLICKHOUSE = "ClickHouse"
ELSEWHERE = (DUCKDB, POLARS, PANDAS, DATAFUSION, CLICKHOUSE)


@dataclass(frozen=True)
class Answer:
    """What an engine's answer boils down to; `weighted` notices an answer that stands at another row."""

    rows: int
    answers: int
    total: float
    weighted: float

    def agrees(self, other: Answer, same: Same) -> bool:
        if (self.rows, self.answers) != (other.rows, other.answers):
            return False
        pairs = ((self.total, other.total), (self.weighted, other.weighted))
        return all(abs(a - b) <= same.value * max(abs(a), abs(b)) for a, b in pairs)


class Engine(Protocol):
    name: str

    def can(self, case: Case) -> bool: ...

    def walks(self, case: Case) -> bool:
        """Whether it goes through the whole frame at every row, so that its time grows with the frame."""
        ...

    def run(self, case: Case, rows: int) -> None:
        """Answers the whole query, from the Parquet file to rows that nobody reads."""

    def answer(self, case: Case, rows: int) -> Answer: ...


def of_spark(spark: Any, cache: Path) -> list[Engine]:
    """Slidewise and Spark, and Spark's segment tree if it has one."""
    from spark_engines import Floor, Spark, has_segment_tree

    names = [SLIDEWISE, SPARK, *([SEGMENT_TREE] if has_segment_tree(spark) else [])]
    return [*(Spark(spark, cache, name) for name in names), Floor(spark, cache)]


def others(cache: Path) -> list[Engine]:
    """Those that are installed."""
    from frame_engines import Pandas, Polars
    from sql_engines import ClickHouse, DataFusion, DuckDB

    engines: dict[str, Callable[[Path], Engine]] = {
        "duckdb": DuckDB,
        "polars": Polars,
        "pandas": Pandas,
        "datafusion": DataFusion,
        "chdb": ClickHouse,
    }
    return [engine(cache) for package, engine in engines.items() if importlib.util.find_spec(package)]


def checksum(digest: str, same: Same, integer: str) -> str:
    """The SQL that turns the answers into an `Answer`'s numbers, given the engine's name of a 64-bit integer."""
    number = integer if same is Same.EXACTLY else "double"
    d = f"CAST({digest} AS {number})"
    return f"count(*), count(a), CAST(sum({d}) AS double), CAST(sum({d} * (ts % 1009)) AS double)"
