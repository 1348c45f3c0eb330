"""Random window specifications: the keys, whether they determine the order, and the frames over them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from generated.column import DECIMAL, FRACTIONAL, INTEGRAL, TEMPORAL, Column
from generated.frame import GROWING, WHOLE, Frame, random_peers, random_range, random_rows
from generated.table import Table


@dataclass(frozen=True)
class Window:
    """`total`: the keys leave no ties; `said`: DuckDB orders and compares the keys as Spark does."""

    keys: str
    total: bool
    said: bool
    frames: list[Frame]

    @property
    def ordered(self) -> bool:
        return "ORDER BY" in self.keys

    def over(self, frame: Frame | None) -> str:
        return _over(self.keys, frame.spark if frame else "")

    def duckdb(self, frame: Frame | None) -> str | None:
        if not self.said or (frame and frame.duckdb is None):
            return None
        return _over(self.keys, frame.duckdb if frame and frame.duckdb else "")

    def determined(self, frame: Frame | None, ordered: bool) -> bool:
        """Whether the rows alone, in any order of arrival, determine the answer."""
        return self.total or (not ordered and (frame is None or frame.by_peers))


def _over(keys: str, frame: str) -> str:
    return f"OVER ({' '.join(part for part in (keys, frame) if part)})"


PARTITIONS = ["", "PARTITION BY p ", "PARTITION BY q ", "PARTITION BY p, q ", "PARTITION BY p % 2 "]
OFFSETS = (*INTEGRAL, *FRACTIONAL, *DECIMAL, *TEMPORAL)


def random_window(rng: random.Random, table: Table, legacy_intervals: bool) -> Window:
    partition = rng.choice([*PARTITIONS, *PARTITIONS[1:]])
    count = rng.choice([1, 2, 3, 5])
    shape = rng.choice(["total", "total", "range", "range", "ties", "unordered"])
    if legacy_intervals:
        shape = "range"
    if shape == "unordered":
        return Window(partition.strip(), False, True, [WHOLE])
    if shape == "range":
        kinds = TEMPORAL[1:] if legacy_intervals else OFFSETS
        key = rng.choice(table.of(kinds) + ([] if legacy_intervals else [table.columns["id"]]))
        frames = [
            random_range(rng, key, legacy_intervals) if rng.random() < 0.8 else _random_peers(rng) for _ in range(count)
        ]
        return Window(f"{partition}ORDER BY {_direction(rng, key)}", key.name == "id", _said([key], True), frames)
    keys = [rng.choice(list(table.columns.values())) for _ in range(rng.choice([1, 1, 2]))]
    total = shape == "total"
    order = [_direction(rng, key) for key in keys if key.name != "id"] + (["id"] if total else [])
    if not order:
        order, total = ["id DESC"], True
    frames = [random_rows(rng, table.rows) if rng.random() < 0.75 else _random_peers(rng) for _ in range(count)]
    return Window(f"{partition}ORDER BY {', '.join(order)}", total, _said(keys, False), frames)


def _random_peers(rng: random.Random) -> Frame:
    return GROWING if rng.random() < 0.3 else random_peers(rng)


def _direction(rng: random.Random, key: Column) -> str:
    return f"{key.name} {rng.choice(['ASC', 'DESC'])} NULLS {rng.choice(['FIRST', 'LAST'])}"


def _said(keys: list[Column], offsets: bool) -> bool:
    return all(key.domain in _said_domains(key, offsets) for key in keys)


def _said_domains(key: Column, offsets: bool) -> tuple[str, ...]:
    if not offsets:
        return ("small", "wide", "extreme")
    # DuckDB fails where key and offset add up to more than the key's type holds.
    return ("small",) if key.kind in ("tinyint", "smallint") else ("small", "wide")
