"""The TPC-DS queries that have window functions."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NUMBERS = (12, 20, 36, 44, 47, 49, 51, 53, 57, 63, 67, 70, 86, 89, 98)


@dataclass(frozen=True)
class Query:
    number: int
    sql: str

    @property
    def unlimited(self) -> str:
        """The query without its last LIMIT, which may choose other rows each time where its order has ties."""
        return re.sub(r"\s+LIMIT \d+$", "", self.sql)


def made(folder: Path, scale: float, python: Path) -> list[Query]:
    """The queries; makes their tables first if they are missing, with the generator of another environment."""
    file = folder / "queries.json"
    if not file.exists():
        subprocess.run([python, Path(__file__).with_name("data.py"), file, str(scale)], check=True)
    texts = json.loads(file.read_text())
    return [Query(number, texts[str(number)].strip().rstrip(";")) for number in NUMBERS]


def register(spark: Any, folder: Path) -> None:
    for file in folder.glob("*.parquet"):
        spark.read.parquet(str(file)).createOrReplaceTempView(file.stem)
