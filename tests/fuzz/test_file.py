"""A failing query as a test file that needs none of the code that made it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pprint import pformat
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "found"


@dataclass(frozen=True)
class Example:
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


def write(name: str, what: str, example: Example, folder: Path = FOLDER) -> Path:
    """Writes `test_<name>.py`. What failed goes into the file's first lines."""
    said = what.strip().splitlines()[0].replace('"""', "'''").replace("\\", "/")
    expected = "" if example.expected is None else f"EXPECTED = {_literal(example.expected)}\n"
    compared = "assert_same_answer" if example.expected is None else "assert_answer"
    last = "" if example.expected is None else ", EXPECTED"
    text = f'''"""Found by `make fuzz`: {said[:100]}"""

# ruff: noqa: E501
import datetime
from decimal import Decimal
from math import inf, nan
from pathlib import Path

from found.same_answer import {compared}, view
from pyspark.sql import SparkSession

COLUMNS = "{example.columns}"
ROWS = {_literal(example.rows)}
SETTINGS = {_literal(example.settings)}
QUERY = """
{example.sql}
"""
{expected}

def test_{name}(spark: SparkSession, tmp_path: Path) -> None:
    with view(spark, "{example.view}", ROWS, COLUMNS, "{example.storage}", tmp_path):
        {compared}(spark, SETTINGS, QUERY, "{example.operator}"{last})
'''
    folder.mkdir(exist_ok=True)
    file = folder / f"test_{name}.py"
    file.write_text(text)
    return file


def _literal(value: Any) -> str:
    return pformat(value, width=110, compact=True)
