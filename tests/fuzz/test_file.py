"""A failing query as a test file, with its rows and its text in full."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pprint import pformat
from typing import Any, Protocol

FOLDER = Path(__file__).resolve().parents[1] / "found"


class Example(Protocol):
    """A query that fails, and all that its test needs."""

    def test(self, name: str) -> str:
        """The imports, the literals and the function of a test `test_<name>`."""


@dataclass(frozen=True)
class TableExample:
    """The query names the rows by `view`.

    columns: a schema as Spark's DDL writes it
    storage: how the rows reach the query, "parquet", "cached" or "local"
    expected: the rows that the query must return, where Spark alone cannot say
    """

    view: str
    columns: str
    rows: list[tuple[Any, ...]]
    storage: str
    settings: dict[str, str]
    sql: str
    operator: str
    expected: list[tuple[Any, ...]] | None = None

    def test(self, name: str) -> str:
        expected = "" if self.expected is None else f"EXPECTED = {_literal(self.expected)}\n"
        compared = "assert_same_answer" if self.expected is None else "assert_answer"
        last = "" if self.expected is None else ", EXPECTED"
        return f'''from found.same_answer import {compared}, view
from pyspark.sql import SparkSession

COLUMNS = "{self.columns}"
ROWS = {_literal(self.rows)}
SETTINGS = {_literal(self.settings)}
QUERY = """
{self.sql}
"""
{expected}

def test_{name}(spark: SparkSession, tmp_path: Path) -> None:
    with view(spark, "{self.view}", ROWS, COLUMNS, "{self.storage}", tmp_path):
        {compared}(spark, SETTINGS, QUERY, "{self.operator}"{last})
'''


@dataclass(frozen=True)
class StreamExample:
    """`query`: a dataclass; `imports`: the names in its text; `module`: the one with its `assert_right`."""

    query: Any
    imports: str
    module: str

    def test(self, name: str) -> str:
        return f"""from pyspark.sql import SparkSession
{self.imports}
from {self.module} import assert_right
from streams.user_aggregators import register

QUERY = {_literal(self.query)}


def test_{name}(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    register(spark, tmp_path_factory.mktemp("aggregators"))
    assert_right(spark, tmp_path, QUERY)
"""


def write(name: str, what: str, example: Example, folder: Path = FOLDER) -> Path:
    """Writes `test_<name>.py`. What failed goes into the file's first lines."""
    said = what.strip().splitlines()[0].replace('"""', "'''").replace("\\", "/")
    text = f'''"""Found by `make fuzz`: {said[:100]}"""

# ruff: noqa: E501, F401
import datetime
from decimal import Decimal
from math import inf, nan
from pathlib import Path

import pytest
{example.test(name)}'''
    folder.mkdir(exist_ok=True)
    file = folder / f"test_{name}.py"
    file.write_text(text)
    return file


def _literal(value: Any) -> str:
    return pformat(value, width=110, compact=True)
