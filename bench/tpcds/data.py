"""Makes the TPC-DS tables and the texts of its queries; runs in the virtual environment that has the generator."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb
import duckdb_extension_tpcds


def make(texts: Path, scale: float) -> None:
    """Writes a Parquet file for each table beside the JSON file of the texts, which comes last."""
    folder = texts.parent
    folder.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    [extension] = Path(duckdb_extension_tpcds.__file__).parent.glob("extensions/*/tpcds.duckdb_extension")
    connection.execute(f"LOAD '{extension}'")
    connection.execute(f"CALL dsdgen(sf = {scale})")
    for [table] in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        connection.execute(f"COPY {table} TO '{folder / table}.parquet'")
    queries = connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall()
    texts.write_text(json.dumps({str(number): text for number, text in queries}, indent=1) + "\n")


if __name__ == "__main__":
    make(Path(sys.argv[1]), float(sys.argv[2]))
