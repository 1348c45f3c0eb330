"""Files of events, read one a batch: each key has an event a minute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from shared.parquet import kept

SCHEMA = "k bigint, ts timestamp, x double"
_SEED = 20_261_122
_FIRST = np.datetime64("2026-01-01T00:00:00", "us")
_MINUTE = 60_000_000


def stream(keys: int, minutes: int, files: int, cache: Path) -> Path:
    """A folder of files in the order of time; the last has one event a year later, which completes all windows."""
    folder = cache / f"hopping-stream-keys={keys}-minutes={minutes}-files={files}"
    for number, some in enumerate(np.array_split(np.arange(minutes), files)):
        kept(folder / f"{number:04}.parquet", lambda some=some, number=number: _events(keys, some, number))
    kept(folder / f"{files:04}.parquet", lambda: _table(np.array([0]), np.array([366 * 1440 * _MINUTE]), np.zeros(1)))
    return folder


def _events(keys: int, minutes: np.ndarray, number: int) -> pa.Table:
    random = np.random.default_rng(_SEED + number)
    minute = np.repeat(minutes, keys) * _MINUTE
    times = minute + random.integers(0, _MINUTE, len(minute))
    return _table(np.tile(np.arange(keys), len(minutes)), times, random.integers(0, 1_000_000, len(minute)) / 1_000)


def _table(k: np.ndarray, micros: np.ndarray, x: np.ndarray) -> pa.Table:
    times = pa.array(_FIRST + micros.astype("timedelta64[us]"), pa.timestamp("us", "UTC"))
    return pa.table({"k": k.astype(np.int64), "ts": times, "x": x})
