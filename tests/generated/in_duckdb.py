"""Runs in DuckDB those of a query's cases that DuckDB can say."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from generated.answer import Rows
from generated.query import Case, Query


def sayable(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.duckdb]


def answer(query: Query, cases: Sequence[Case]) -> Rows:
    selected = ",\n  ".join(f"{case.duckdb} AS c{i}" for i, case in enumerate(cases))
    return answer_to(query, f"SELECT id, {selected}\nFROM t")


def answer_to(query: Query, sql: str) -> Rows:
    """The answer to a query of the table whose first column is the id."""
    with duckdb.connect() as connection:
        connection.register("t", _without_zones(query.table.arrow))
        rows = connection.execute(sql).fetchall()
    return Rows({row[0]: tuple(row)[1:] for row in rows})


def _without_zones(table: pa.Table) -> pa.Table:
    fields = [f.with_type(pa.timestamp("us")) if pa.types.is_timestamp(f.type) else f for f in table.schema]
    return table.cast(pa.schema(fields))
