"""What is read of SQL logic tests."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlglot", reason="installed with the libraries")

from records import Record, records, stand_in

TEXT = """# a comment

statement ok
CREATE TABLE t (k INTEGER PRIMARY KEY, x DOUBLE)

query II rowsort
SELECT k, sum(x) OVER (ORDER BY k)
FROM t
----
1\t2.0

foreach function sum max

loop i 0 2

query I
SELECT ${function}(x) OVER (ORDER BY k ROWS ${i} PRECEDING) FROM t
----
over (and over)

endloop

endloop

query T
EXPLAIN SELECT sum(x) OVER () FROM t
----

query I
SELECT count(*) FROM t
"""


def _read(text: str) -> list[Record]:
    return list(records(text, "duckdb"))


def test_statements_and_queries_begin_where_the_file_has_them() -> None:
    found = _read(TEXT)
    assert [(record.line, record.is_query) for record in found[:2]] == [(3, False), (6, True)]
    assert "PRIMARY KEY" not in found[0].sql
    assert found[1].sql == "SELECT k, SUM(x) OVER (ORDER BY k NULLS LAST) FROM t"


def test_loops_are_unrolled() -> None:
    found = [record.sql for record in _read(TEXT) if "PRECEDING" in record.sql and "ROWS" in record.sql]
    assert len(found) == 4
    made = [("SUM" in sql, "1 PRECEDING" in sql) for sql in found]
    assert made == [(True, False), (True, True), (False, False), (False, True)]


def test_plans_and_expected_rows_are_no_windows() -> None:
    assert sum(record.has_window for record in _read(TEXT)) == 5


def test_a_table_made_by_a_query_has_its_columns_cast() -> None:
    (record,) = _read("statement ok\nCREATE TABLE t (a BIGINT PRIMARY KEY, b VARCHAR) AS VALUES (1, 2)\n")
    rows = "(VALUES (1, 2)) AS made(a, b)"
    assert record.sql == f"CREATE TABLE t AS SELECT CAST(a AS BIGINT) AS a, CAST(b AS STRING) AS b FROM {rows}"


def test_other_sql_stays_as_it_is() -> None:
    assert [record.sql for record in _read("statement ok\nPIVOT t ON ((\n")] == ["PIVOT t ON (("]


def test_a_table_over_a_missing_file_gets_rows_of_its_types() -> None:
    columns = "c1 VARCHAR NOT NULL, c2 DOUBLE, c3 TIMESTAMP"
    made = stand_in(f"CREATE EXTERNAL TABLE a ({columns})\nSTORED AS CSV\nLOCATION 'a.csv'")
    assert made is not None
    assert made.startswith("CREATE TABLE a AS SELECT * FROM VALUES ('")
    assert made.endswith("AS t(c1, c2, c3)")
    assert made.count("TIMESTAMP'") == 100
    assert stand_in("CREATE TABLE a (x INT)") is None
