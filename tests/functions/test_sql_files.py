"""Every file of sql/ answers what stands beside it. SLIDEWISE_WRITE=1 writes the answers down instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from semantics.conftest import settings

from functions.registry import lines

SQL = Path(__file__).parents[2] / "sql"
FILES = sorted(SQL.rglob("*.sql"))


def answers(spark: SparkSession, path: Path) -> str:
    """Each statement that selects, with its answer."""
    text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("--"))
    told = []
    for statement in filter(None, (s.strip() for s in text.split(";\n"))):
        frame = spark.sql(statement.rstrip(";"))
        if frame.columns:
            told += ["\t".join(frame.columns), *lines(frame), ""]
    return "\n".join(told)


@pytest.mark.parametrize("slidewise_on", ["false", "true"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SQL)))
def test_a_file_answers_what_stands_beside_it(spark: SparkSession, path: Path, slidewise_on: str) -> None:
    with settings(spark, {"spark.slidewise.enabled": slidewise_on}):
        found = answers(spark, path)
    expected = path.with_suffix(".out")
    if os.environ.get("SLIDEWISE_WRITE") == "1" and slidewise_on == "false":
        expected.write_text(found)
    assert found == expected.read_text()
