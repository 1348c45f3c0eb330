"""Parquet files of generated rows, each made once and then kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def kept(path: Path, make: Callable[[], pa.Table]) -> Path:
    """The file, which is made if it is missing, in row groups small enough that a scan splits evenly over the cores."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        table = make()
        unfinished = path.with_suffix(".unfinished")
        pq.write_table(table, unfinished, row_group_size=max(table.num_rows // 64, 1))
        unfinished.rename(path)
    return path
