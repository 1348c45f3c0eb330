"""The stream: a million readings in Parquet, each a little late, and one far in the future that ends the waiting."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = "k int, ts timestamp, x double, v bigint"
WATERMARK = "10 seconds"
PUSHER = -1
"""The key of the last row, which nothing is asked about."""

_SEED = 20_261_121
_BEGIN = 1_700_000_000_000_000
_STEP = 7_500
"""Microseconds from one row to the next: with 8 keys, a minute holds 1,000 rows of a key and an hour 60,000."""

_LATEST = 5_000_000
_YEARS = 10**14


def stream(keys: int, rows: int, files: int, cache: Path) -> Path:
    """A folder of files, oldest first by modification time; rows lie in order of arrival, half a second late on average
    and five at most. No two rows have the same time."""
    folder = cache / f"stream-keys={keys}-rows={rows}-files={files}"
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        unfinished.mkdir(parents=True, exist_ok=True)
        table = _readings(keys, rows)
        cuts = [rows * i // files for i in range(files + 1)]
        for i, (begin, end) in enumerate(itertools.pairwise(cuts)):
            part = table.slice(begin, end - begin)
            path = unfinished / f"{i:04}.parquet"
            pq.write_table(
                pa.concat_tables([part, _pusher(table.schema)]) if end == rows else part,
                path,
                row_group_size=max((end - begin) // 4, 1),
            )
            os.utime(path, (1_000_000_000 + 60 * i,) * 2)
        unfinished.rename(folder)
    return folder


def _readings(keys: int, rows: int) -> pa.Table:
    random = np.random.default_rng(_SEED)
    at = np.arange(rows, dtype=np.int64)
    late = np.minimum(random.exponential(500_000, rows), _LATEST).astype(np.int64)
    # Rows with the same last three digits arrive too far apart to be given the same time.
    ts = (_BEGIN + at * _STEP - late) // 1_000 * 1_000 + at % 1_000
    return pa.table(
        {
            "k": random.integers(0, keys, rows, dtype=np.int32),
            "ts": pa.array(ts, pa.timestamp("us", "UTC")),
            "x": random.random(rows),
            "v": random.integers(0, 1000, rows, dtype=np.int64),
        }
    )


def _pusher(schema: pa.Schema) -> pa.Table:
    row = {"k": [PUSHER], "ts": [_BEGIN + _YEARS], "x": [0.0], "v": [0]}
    return pa.table({name: pa.array(value, schema.field(name).type) for name, value in row.items()})
