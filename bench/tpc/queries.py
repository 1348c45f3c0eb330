"""The queries of TPC-DS and TPC-H."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Those with window functions.
WINDOWED = {"tpcds": (12, 20, 36, 44, 47, 49, 51, 53, 57, 63, 67, 70, 86, 89, 98), "tpch": ()}


@dataclass(frozen=True)
class Query:
    benchmark: str
    number: int
    sql: str

    @property
    def windowed(self) -> bool:
        return self.number in WINDOWED[self.benchmark]

    @property
    def unlimited(self) -> str:
        """The query without its last LIMIT, which may choose other rows each time where its order has ties."""
        return re.sub(r"\s+LIMIT \d+$", "", self.sql)


def made(benchmark: str, folder: Path, scale: float, python: Path) -> list[Query]:
    """The queries; makes their tables first if they are missing, with the generator of another environment."""
    file = folder / "queries.json"
    if not file.exists():
        command = [python, Path(__file__).with_name("data.py"), benchmark, file, str(scale)]
        subprocess.run(command, check=True)
    texts = json.loads(file.read_text())
    return [Query(benchmark, int(number), _for_spark(text)) for number, text in texts.items()]


def _for_spark(text: str) -> str:
    """Spark takes a double-quoted word for a string, and DuckDB for a name."""
    return re.sub(r'"([^"]+)"', r"`\1`", text.strip().rstrip(";"))


def register(spark: Any, folder: Path) -> None:
    for file in folder.glob("*.parquet"):
        spark.read.parquet(str(file)).createOrReplaceTempView(file.stem)
