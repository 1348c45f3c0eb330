"""Makes the tables of TPC-DS or TPC-H and the texts of its queries; runs in the environment that has the generators."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import duckdb

GENERATE = {"tpcds": "dsdgen", "tpch": "dbgen"}


def make(benchmark: str, texts: Path, scale: float) -> None:
    """Writes a Parquet file for each table beside the JSON file of the texts, which comes last."""
    folder = texts.parent
    folder.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    package = importlib.import_module(f"duckdb_extension_{benchmark}")
    [extension] = Path(str(package.__file__)).parent.glob(f"extensions/*/{benchmark}.duckdb_extension")
    connection.execute(f"LOAD '{extension}'")
    connection.execute(f"CALL {GENERATE[benchmark]}(sf = {scale})")
    for [table] in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        connection.execute(f"COPY {table} TO '{folder / table}.parquet'")
    queries = connection.execute(f"SELECT query_nr, query FROM {benchmark}_queries()").fetchall()
    texts.write_text(json.dumps({str(number): text for number, text in queries}, indent=1) + "\n")


if __name__ == "__main__":
    make(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
