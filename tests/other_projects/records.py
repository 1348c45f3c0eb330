"""Queries of SQL logic tests, the format of SQLite's tests that DuckDB and DataFusion keep, in Spark's SQL.

What a test expects is not read: its rows are printed as the other engine prints them. The queries run with and without
Slidewise instead.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

import sqlglot
from sqlglot import exp

_WINDOW = re.compile(r"\bOVER\b\s*[(\w\"]", re.IGNORECASE)
_EXPLAIN = re.compile(r"\s*(EXPLAIN|DESCRIBE)\b", re.IGNORECASE)
_LOOP = re.compile(r"(?:concurrent)?(loop|foreach)\s+(\w+)\s+(.*)")
# Longer loops repeat one query with other sizes.
_MOST_TURNS = 20


class Record(NamedTuple):
    """A statement of a file, and the line where it begins."""

    line: int
    sql: str
    is_query: bool

    @property
    def has_window(self) -> bool:
        return self.is_query and bool(_WINDOW.search(self.sql)) and not _EXPLAIN.match(self.sql)


def records(text: str, dialect: str) -> Iterator[Record]:
    """The statements and queries of a file, loops unrolled. `dialect` is sqlglot's name of the engine's SQL."""
    for line, sql, is_query in _records(list(enumerate(text.splitlines(), 1))):
        for statement in _in_spark(sql, dialect):
            yield Record(line, statement, is_query)


def _records(lines: list[tuple[int, str]]) -> Iterator[Record]:
    at = 0
    while at < len(lines):
        number, line = lines[at]
        at += 1
        if loop := _LOOP.match(line):
            end = _end_of_loop(lines, at)
            for value in _turns(loop[1], loop[3].split()):
                yield from _records([(n, text.replace(f"${{{loop[2]}}}", value)) for n, text in lines[at:end]])
            at = end + 1
        elif line.startswith(("statement", "query")):
            begin = at
            while at < len(lines) and lines[at][1].strip() and lines[at][1] != "----":
                at += 1
            yield Record(number, "\n".join(text for _, text in lines[begin:at]), line.startswith("query"))
            while at < len(lines) and lines[at][1].strip():
                at += 1


def _end_of_loop(lines: list[tuple[int, str]], begin: int) -> int:
    depth = 1
    for at in range(begin, len(lines)):
        depth += bool(_LOOP.match(lines[at][1])) - lines[at][1].startswith("endloop")
        if not depth:
            return at
    return len(lines)


def _turns(kind: str, words: list[str]) -> list[str]:
    values = [str(i) for i in range(int(words[0]), int(words[1]))] if kind == "loop" else words
    return values[:_MOST_TURNS]


def _in_spark(sql: str, dialect: str) -> list[str]:
    """As it is where sqlglot knows no such SQL."""
    try:
        return [_spark(tree) for tree in sqlglot.parse(sql, read=dialect) if tree]
    except Exception:  # of any kind
        return [sql]


def _spark(tree: exp.Expression) -> str:
    """A table has no keys and checks, as Spark's own have none."""
    if isinstance(tree, exp.Create):
        for constraint in list(tree.find_all(exp.ColumnConstraint, exp.PrimaryKey, exp.ForeignKey)):
            constraint.pop()
        if isinstance(tree.this, exp.Schema) and tree.expression:
            return _made_by_query(tree.this, tree.expression)
    return tree.sql(dialect="spark")


def _made_by_query(table: exp.Schema, query: exp.Expression) -> str:
    """A table with columns and a query, of which Spark allows one: the query casts its columns."""
    columns = [(c.this.sql(dialect="spark"), c.kind.sql(dialect="spark")) for c in table.find_all(exp.ColumnDef)]
    casts = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in columns)
    rows = f"({query.sql(dialect='spark')}) AS made({', '.join(name for name, _ in columns)})"
    return f"CREATE TABLE {table.this.sql(dialect='spark')} AS SELECT {casts} FROM {rows}"


_EXTERNAL = re.compile(
    r"CREATE\s+(?:UNBOUNDED\s+)?EXTERNAL\s+TABLE\s+(?:IF NOT EXISTS\s+)?(\w+)\s*\(\n?(.*?)\)\s*STORED", re.S | re.I
)


def stand_in(sql: str) -> str | None:
    """A table of 100 made rows in place of one over a file that the package of the tests lacks; None for other SQL."""
    found = _EXTERNAL.match(sql)
    if not found:
        return None
    dice = random.Random(found[1])
    columns = [column.split()[:2] for column in re.sub(r"\([^)]*\)", "", found[2]).split(",") if column.split()]
    rows = [", ".join(_value(dice, kind.upper()) for _, kind in columns) for _ in range(100)]
    names = ", ".join(name for name, _ in columns)
    return f"CREATE TABLE {found[1]} AS SELECT * FROM VALUES ({'), ('.join(rows)}) AS t({names})"


def _value(dice: random.Random, kind: str) -> str:
    if kind.startswith(("VARCHAR", "TEXT", "STRING", "CHAR")):
        return f"'{dice.choice('abcde')}'"
    if kind.startswith(("FLOAT", "DOUBLE", "REAL")):
        return f"CAST({dice.random():.6f} AS DOUBLE)"
    if kind.startswith("TIMESTAMP"):
        return f"TIMESTAMP'2024-01-01 00:00:{dice.randrange(60):02}'"
    if kind.startswith("DATE"):
        return f"DATE'2024-01-{dice.randrange(1, 29):02}'"
    if kind.startswith("BOOL"):
        return dice.choice(["true", "false"])
    return f"CAST({dice.randrange(-100, 100)} AS BIGINT)"
