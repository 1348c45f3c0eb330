"""The tables that the joins read: rows with a label and events, at random times of 100 days."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from shared.parquet import kept

LABELS, EVENTS, KEYS = 200_000, 2_000_000, 2_000
DAYS = 100
FRAME_DAYS = 10
"""A frame of so many days holds 100 events."""

_SEED = 20_261_127
_FIRST = np.datetime64("2026-01-01T00:00:00", "us")
_MICROS_A_DAY = 86_400_000_000


@dataclass(frozen=True)
class Tables:
    """Files of `labels(id bigint, k int, ts timestamp, day date)` and of `events(k int, ts timestamp, x int)`.

    Where `partitioned`, the events are a folder with a folder for each `day`.
    """

    labels: Path
    events: Path
    partitioned: bool = False


def uniform(scale: float, cache: Path) -> Tables:
    """200,000 rows and 2 million events of 2,000 keys at scale 1. At each scale, a key has 1,000 events."""
    return _made("uniform", LABELS, EVENTS, scale, lambda rows, rng: rng.integers(0, _count(KEYS, scale), rows), cache)


def skewed(scale: float, cache: Path) -> Tables:
    """As many as uniform ones. Half of the events and of the labels have the key 0."""

    def keys(rows: int, rng: np.random.Generator) -> np.ndarray:
        others = rng.integers(1, _count(KEYS, scale) + 1, rows)
        return np.where(rng.random(rows) < 0.5, 0, others)

    return _made("skewed", LABELS, EVENTS, scale, keys, cache)


def without_keys(scale: float, cache: Path) -> Tables:
    """A million of each at scale 1, of one key."""
    return _made("one-key", 1_000_000, 1_000_000, scale, lambda rows, _: np.zeros(rows), cache)


def dated(scale: float, cache: Path) -> Tables:
    """1,000 labels of the last day and 20 million events of 100 days, partitioned by date, at scale 1."""
    rows, keys = _count(20_000_000, scale), _count(KEYS * 10, scale)
    rng = np.random.default_rng(_SEED)
    labels = kept(
        cache / f"joins-dated-labels-scale={scale:g}.parquet",
        lambda: _labels(_count(1_000, scale), lambda n, r: r.integers(0, keys, n), rng, DAYS - 1),
    )
    events = cache / f"joins-dated-events-scale={scale:g}"
    if not events.exists():
        unfinished = events.with_suffix(".unfinished")
        for day in range(DAYS):
            folder = unfinished / f"day={_FIRST.astype('datetime64[D]') + day}"
            folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(
                _events(rows // DAYS, lambda n, r: r.integers(0, keys, n), rng, day, 1), folder / "0.parquet"
            )
        unfinished.rename(events)
    return Tables(labels, events, partitioned=True)


_Keys = Callable[[int, np.random.Generator], np.ndarray]


def _count(rows: int, scale: float) -> int:
    return max(1, round(rows * scale))


def _made(name: str, labels: int, events: int, scale: float, keys: _Keys, cache: Path) -> Tables:
    rng = np.random.default_rng(_SEED)

    def file(kind: str, make: Callable[..., pa.Table], rows: int) -> Path:
        path = cache / f"joins-{name}-{kind}-scale={scale:g}.parquet"
        return kept(path, lambda: make(_count(rows, scale), keys, rng))

    return Tables(file("labels", _labels, labels), file("events", _events, events))


def _labels(rows: int, keys: _Keys, rng: np.random.Generator, first_day: int = 0) -> pa.Table:
    times = _times(rows, rng, first_day, DAYS - first_day)
    return pa.table(
        {
            "id": np.arange(rows, dtype=np.int64),
            "k": keys(rows, rng).astype(np.int32),
            "ts": pa.array(times, pa.timestamp("us", "UTC")),
            "day": pa.array(times.astype("datetime64[D]"), pa.date32()),
        }
    )


def _events(rows: int, keys: _Keys, rng: np.random.Generator, first_day: int = 0, days: int = DAYS) -> pa.Table:
    return pa.table(
        {
            "k": keys(rows, rng).astype(np.int32),
            "ts": pa.array(_times(rows, rng, first_day, days), pa.timestamp("us", "UTC")),
            "x": rng.integers(-1_000, 1_001, rows, dtype=np.int32),
        }
    )


def _times(rows: int, rng: np.random.Generator, first_day: int, days: int) -> np.ndarray:
    micros = first_day * _MICROS_A_DAY + rng.integers(0, days * _MICROS_A_DAY, rows)
    return _FIRST + micros.astype("timedelta64[us]")
