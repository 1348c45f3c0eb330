"""Who answers a case: Spark in several settings, DuckDB and Polars, each in its best way of saying it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from cases import Case, Frame, Same
from data import table

if TYPE_CHECKING:
    import polars

THREADS = 2

SLIDEWISE = "Slidewise"
SPARK = "Spark"
SEGMENT_TREE = "Spark with segment tree"
FLOOR = "row_number()"
DUCKDB = "DuckDB"
POLARS = "Polars"


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

    def run(self, case: Case, rows: int) -> None:
        """Answers the whole query, from the Parquet file to rows that nobody reads."""

    def answer(self, case: Case, rows: int) -> Answer: ...


def every(spark: Any, cache: Path) -> list[Engine]:
    """Slidewise and Spark, and of the others those that are installed."""
    from spark_engines import Floor, Spark

    engines: list[Engine] = [
        Spark(spark, cache, SLIDEWISE),
        Spark(spark, cache, SPARK),
        Spark(spark, cache, SEGMENT_TREE),
        Floor(spark, cache),
    ]
    if importlib.util.find_spec("duckdb"):
        engines.append(DuckDB(cache))
    if importlib.util.find_spec("polars"):
        engines.append(Polars(cache))
    return engines


def checksum(digest: str, same: Same, integer: str) -> str:
    """The SQL that turns the answers into an `Answer`'s numbers, given the engine's name of a 64-bit integer."""
    number = integer if same is Same.EXACTLY else "double"
    d = f"CAST({digest} AS {number})"
    return f"count(*), count(a), CAST(sum({d}) AS double), CAST(sum({d} * (ts % 1009)) AS double)"


class DuckDB:
    name = DUCKDB

    def __init__(self, cache: Path) -> None:
        import duckdb

        self._cache = cache
        self._connection = duckdb.connect()
        self._connection.execute(f"SET threads = {THREADS}")

    def can(self, case: Case) -> bool:
        return case.duckdb is not None

    def run(self, case: Case, rows: int) -> None:
        self._connection.sql(self._query(case, rows)).to_arrow_table()

    def answer(self, case: Case, rows: int) -> Answer:
        digest = checksum(case.duckdb_digest, case.same, "bigint")
        found = self._connection.sql(f"SELECT {digest} FROM ({self._query(case, rows)})").fetchall()
        return Answer(*found[0])

    def _query(self, case: Case, rows: int) -> str:
        window = f"(PARTITION BY k ORDER BY ts {case.frame_sql})"
        return f"SELECT k, ts, x, v, {case.duckdb} OVER {window} a FROM read_parquet('{table(rows, self._cache)}')"


class Polars:
    name = POLARS

    def __init__(self, cache: Path) -> None:
        # Read when the module is imported, and never again.
        os.environ["POLARS_MAX_THREADS"] = str(THREADS)
        import polars

        self._polars = polars
        self._cache = cache

    def can(self, case: Case) -> bool:
        return case.polars is not None

    def run(self, case: Case, rows: int) -> None:
        self._frame(case, rows).collect()

    def answer(self, case: Case, rows: int) -> Answer:
        a = self._polars.col("a")
        weighted = (a * (self._polars.col("ts") % 1009)).sum()
        found = self._frame(case, rows).select(self._polars.len(), a.count().alias("n"), a.sum(), weighted.alias("w"))
        return Answer(*found.collect().row(0))

    def _frame(self, case: Case, rows: int) -> polars.LazyFrame:
        scan = self._polars.scan_parquet(table(rows, self._cache))
        x = self._polars.col("x")
        assert case.polars is not None
        rolling = _POLARS[case.polars](self._polars, x, case)
        if case.frame is Frame.RANGE:
            # rolling_*_by takes its order from ts itself, and is fastest over rows that have it already.
            return scan.sort("ts").with_columns(a=rolling.over("k"))
        return scan.with_columns(a=rolling.over("k", order_by="ts"))


def _filtered(pl: Any, x: polars.Expr, case: Case) -> polars.Expr:
    kept = pl.when(pl.col("v") < 500).then(x)
    rolling: polars.Expr = kept.rolling_sum(case.length, min_samples=1)
    return rolling


_POLARS: dict[str, Callable[[Any, polars.Expr, Case], polars.Expr]] = {
    "sum": lambda _, x, case: x.rolling_sum(case.length, min_samples=1),
    "max": lambda _, x, case: x.rolling_max(case.length, min_samples=1),
    "range sum": lambda _, x, case: x.rolling_sum_by("ts", f"{case.reach}i", closed="both", min_samples=1),
    "range max": lambda _, x, case: x.rolling_max_by("ts", f"{case.reach}i", closed="both", min_samples=1),
    "filtered sum": _filtered,
    "shrinking sum": lambda _, x, case: x.cum_sum(reverse=True),
}
