"""The table that the queries read: events of a few keys in the order of time, and of many keys once a minute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from shared.parquet import kept

_SEED = 20_261_122
_KEYS = 8
_MANY_KEYS = 100_000
_FIRST = np.datetime64("2026-01-01T00:00:00", "us")


def table(rows: int, cache: Path) -> Path:
    """A file of `events(k bigint, ts timestamp, many bigint, minute timestamp, x double)`.

    Each of the eight keys `k` has an event a second, at the time `ts`. Each of 100,000 keys `many` has one in a minute,
    at the time `minute`. `x` is uniform in 0 to 1,000, with three decimals.
    """
    return kept(cache / f"hopping-rows={rows}.parquet", lambda: _generate(rows))


def _generate(rows: int) -> pa.Table:
    random = np.random.default_rng(_SEED)
    row = np.arange(rows, dtype=np.int64)
    within = random.integers(0, 60_000_000, rows)
    return pa.table(
        {
            "k": row % _KEYS,
            "ts": _times(row // _KEYS * 1_000_000 + random.integers(0, 1_000_000, rows)),
            "many": row % _MANY_KEYS,
            "minute": _times(row // _MANY_KEYS * 60_000_000 + within),
            "x": random.integers(0, 1_000_000, rows) / 1_000,
        }
    )


def _times(micros: np.ndarray) -> pa.Array:
    return pa.array(_FIRST + micros.astype("timedelta64[us]"), pa.timestamp("us", "UTC"))
