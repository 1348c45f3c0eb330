"""DuckDB, DataFusion and ClickHouse: the same SQL as Spark's, but for the names of functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cases import Case, Frame
from data import table
from engines import CLICKHOUSE, DATAFUSION, DUCKDB, THREADS, Answer, checksum


def _query(case: Case, function: str | None, source: str) -> str:
    return f"SELECT *, {function} OVER ({case.partition_and_order} {case.frame_sql}) a FROM {source}"


class DuckDB:
    name = DUCKDB

    def __init__(self, cache: Path) -> None:
        import duckdb

        self._cache = cache
        self._connection = duckdb.connect()
        self._connection.execute(f"SET threads = {THREADS}")

    def can(self, case: Case) -> bool:
        return case.duckdb is not None

    def walks(self, _: Case) -> bool:
        return False

    def run(self, case: Case, rows: int) -> None:
        self._connection.sql(self._query(case, rows)).to_arrow_table()

    def answer(self, case: Case, rows: int) -> Answer:
        digest = checksum(case.duckdb_digest, case.same, "bigint")
        found = self._connection.sql(f"SELECT {digest} FROM ({self._query(case, rows)})").fetchall()
        return Answer(*found[0])

    def _query(self, case: Case, rows: int) -> str:
        return _query(case, case.duckdb, f"read_parquet('{table(rows, self._cache, case.shape)}')")


class DataFusion:
    name = DATAFUSION

    def __init__(self, cache: Path) -> None:
        from datafusion import SessionConfig, SessionContext

        self._cache = cache
        self._context = SessionContext(SessionConfig().with_target_partitions(THREADS))

    def can(self, case: Case) -> bool:
        return case.datafusion is not None

    def walks(self, _: Case) -> bool:
        return False

    def run(self, case: Case, rows: int) -> None:
        self._context.sql(self._query(case, rows)).to_arrow_table()

    def answer(self, case: Case, rows: int) -> Answer:
        digest = checksum("a", case.same, "bigint")
        found = self._context.sql(f"SELECT {digest} FROM ({self._query(case, rows)})").to_arrow_table()
        return Answer(*(column[0].as_py() for column in found.columns))

    def _query(self, case: Case, rows: int) -> str:
        name = f"rows_{rows}"
        if not self._context.table_exist(name):
            self._context.register_parquet(name, str(table(rows, self._cache)))
        return _query(case, case.datafusion, name)


class ClickHouse:
    """Its windows go through the frame at every row, but for one moving sum that is an aggregate over arrays."""

    name = CLICKHOUSE

    def __init__(self, cache: Path) -> None:
        import chdb

        self._cache = cache
        connect: Any = chdb.connect
        self._connection = connect(":memory:")

    def can(self, case: Case) -> bool:
        return case.clickhouse is not None

    def walks(self, case: Case) -> bool:
        return not self._moves(case)

    def run(self, case: Case, rows: int) -> None:
        self._ask(self._query(case, rows), "ArrowTable")

    def answer(self, case: Case, rows: int) -> Answer:
        a = case.clickhouse_digest
        d = f"toFloat64({a})"
        digest = f"count(), count({a}), sum({d}), sum({d} * (ts % 1009))"
        found = self._ask(f"SELECT {digest} FROM ({self._query(case, rows)})", "CSV")
        rows_found, answers, *sums = found.bytes().decode().strip().split(",")
        return Answer(int(rows_found), int(answers), *map(float, sums))

    def _ask(self, query: str, form: str) -> Any:
        return self._connection.query(f"{query} SETTINGS max_threads = {THREADS}", form)

    @staticmethod
    def _moves(case: Case) -> bool:
        return case.clickhouse == "sum(x)" and case.frame is Frame.ROWS

    def _query(self, case: Case, rows: int) -> str:
        source = f"file('{table(rows, self._cache)}', Parquet)"
        if not self._moves(case):
            return _query(case, case.clickhouse, source)
        arrays = (
            "groupArray(ts) AS tss, groupArray(x) AS xs, groupArray(v) AS vs, "
            f"groupArrayMovingSum({case.length})(assumeNotNull(x)) AS sums"
        )
        return (
            f"SELECT k, ts, x, v, a FROM (SELECT k, {arrays} FROM (SELECT * FROM {source} ORDER BY k, ts) GROUP BY k) "
            "ARRAY JOIN tss AS ts, xs AS x, vs AS v, sums AS a"
        )
