"""Rows of a table, and changes of them as days bring them: new rows, late rows, corrections and deletions."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession

SCHEMA = "id bigint, k string, j int, ts timestamp, d date, n int, r double, m decimal(9,2), x bigint"
START = datetime(2026, 3, 1)  # The clocks change in March.
KEYS = ("a", "b", "c", "d", None)


class Event(NamedTuple):
    """A row. All orders agree in about how far rows lie apart: `n` counts minutes."""

    id: int
    k: str | None
    j: int
    ts: datetime | None
    d: date | None
    n: int | None
    r: float | None
    m: Decimal | None
    x: int | None


def event(rng: random.Random, number: int, minute: int) -> Event:
    time = START + timedelta(minutes=minute)
    no_time = rng.random() < 0.03
    return Event(
        number,
        rng.choice(KEYS),
        rng.randrange(3),
        None if no_time else time,
        None if no_time else time.date(),
        None if no_time else minute,
        None if no_time else rng.choice([minute / 7, minute / 7, minute / 7, float("nan"), float("-inf")]),
        None if no_time else Decimal(minute) / 4,
        None if rng.random() < 0.1 else rng.randrange(-20, 20),
    )


class Log:
    """A table that changes. Times grow with the identifiers, except for late rows."""

    def __init__(self, rng: random.Random, rows: int) -> None:
        self._rng = rng
        self._next = 0
        self._minute = 0
        self.rows: dict[int, Event] = {}
        for _ in range(rows):
            self._append(late=False)

    def _append(self, late: bool) -> Event:
        self._minute += self._rng.choice([0, 1, 5, 40, 400, 2000])
        minute = self._rng.randrange(self._minute + 1) if late else self._minute
        new = event(self._rng, self._next, minute)
        self._next += 1
        self.rows[new.id] = new
        return new

    def change(self) -> list[Event]:
        """Changes some rows; returns the old and the new values of them."""
        rng = self._rng
        changed: list[Event] = []
        for _ in range(rng.choice([0, 1, 1, 2, 5])):
            kind = rng.choice(["append", "append", "late", "update", "delete"])
            if kind in ("append", "late"):
                changed.append(self._append(late=kind == "late"))
            elif self.rows:
                old = self.rows.pop(rng.choice(list(self.rows)))
                changed.append(old)
                if kind == "update":
                    other = event(rng, old.id, rng.randrange(self._minute + 1))
                    new = rng.choice([other, old._replace(x=rng.randrange(100)), old._replace(k=rng.choice(KEYS))])
                    self.rows[new.id] = new
                    changed.append(new)
        return changed

    def table(self, spark: SparkSession) -> DataFrame:
        return frame(spark, list(self.rows.values()))


# Columns that follow from others, by which tables are often partitioned.
GENERATED = {
    "day": "CAST(ts AS DATE)",
    "y": "year(ts)",
    "mo": "month(ts)",
    "part": "n DIV 3000",
}


def frame(spark: SparkSession, rows: list[Event]) -> DataFrame:
    return spark.createDataFrame(rows, SCHEMA).selectExpr("*", *(f"{e} AS {name}" for name, e in GENERATED.items()))
