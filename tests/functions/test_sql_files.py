"""Every file of sql/ answers what stands beside it. SLIDEWISE_WRITE=1 writes the answers down instead."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from cases import long_if
from pyspark.sql import SparkSession
from session import settings
from sparks import skip_if_lacking

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


def slow(path: Path, slidewise_on: str) -> bool:
    """Spark alone runs the functions' files slowly: it evaluates thousands of rows for each row of some."""
    short = path.parent.name != "functions" and path.stem not in ("003_packets", "004_gold_price")
    return slidewise_on == "false" and not short


@pytest.mark.parametrize(
    ("path", "slidewise_on"),
    long_if(slow, list(itertools.product(FILES, ["false", "true"]))),
    ids=lambda value: str(value.relative_to(SQL)) if isinstance(value, Path) else value,
)
def test_a_file_answers_what_stands_beside_it(spark: SparkSession, path: Path, slidewise_on: str) -> None:
    skip_if_lacking(path.read_text())
    with settings(spark, {"spark.slidewise.enabled": slidewise_on}):
        found = answers(spark, path)
    expected = path.with_suffix(".out")
    if os.environ.get("SLIDEWISE_WRITE") == "1" and slidewise_on == "false":
        expected.write_text(found)
    assert found == expected.read_text()
