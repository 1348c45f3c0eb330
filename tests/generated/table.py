"""A random table: partition keys, a unique id, and two columns of each type."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from generated.column import ARROW, DOMAINS, Column, random_column


@dataclass(frozen=True)
class Table:
    columns: dict[str, Column]
    rows: int
    extreme: bool

    @cached_property
    def arrow(self) -> pa.Table:
        return pa.table({name: column.arrow for name, column in self.columns.items()})

    def of(self, kinds: tuple[str, ...], domains: tuple[str, ...] = DOMAINS) -> list[Column]:
        """The value columns of the kinds and domains."""
        return [
            c
            for c in self.columns.values()
            if c.kind in kinds and c.domain in domains and c.name not in ("id", "p", "q")
        ]


def random_table(rng: random.Random, extreme: bool, rows: int | None = None) -> Table:
    """A table of plain values, or one that holds the ends of the types, where sums overflow."""
    if rows is None:
        rows = rng.choice([0, 1, 2, 7, 30, 100, 200, 300, 300])
    domains = ["small", "wide", "extreme"] if extreme else ["small", "small", "wide", "wide", "special"]
    ids = list(range(rows))
    rng.shuffle(ids)
    partitions = _partitions(rng, rows)
    letters = {None: None} | {n: rng.choice(["x", "y", "Z", "", "ñ"]) for n in partitions if n is not None}
    columns = [
        Column("id", "bigint", "wide", ids),
        Column("p", "int", "small", partitions),
        Column("q", "string", "small", [letters[n] for n in partitions]),
    ]
    for kind in ARROW:
        stem = kind.split("(")[0] + (kind.split("(")[1].split(",")[0] if "(" in kind else "")
        for i in range(2):
            columns.append(random_column(rng, f"{stem}_{i}", kind, rng.choice(domains), rows))
    return Table({c.name: c for c in columns}, rows, extreme)


def _partitions(rng: random.Random, rows: int) -> list[int | None]:
    shape = rng.choice(["one", "few", "skew", "single rows"])
    if shape == "one":
        return [7] * rows
    if shape == "single rows":
        return list(range(rows))
    if shape == "skew":
        return [0 if rng.random() < 0.9 else rng.choice([None, 1, 2, 3, 4]) for _ in range(rows)]
    return [rng.choice([None, 1, 2, 3]) for _ in range(rows)]
