"""A random query: many window expressions over one table, with the settings it runs under."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass

from sparks import SPARK

from generated import declarative, imperative, ours, places
from generated.call import Call, Compare
from generated.column import INTEGRAL
from generated.declarative import pick
from generated.frame import Frame
from generated.table import Table, random_table
from generated.window import Window, random_window

# For work on the generator itself, where no jar is built: Spark beside DuckDB.
WITH_SLIDEWISE = os.environ.get("SLIDEWISE_ABSENT") != "1"
_OURS = ours.FUNCTIONS if WITH_SLIDEWISE else []
FUNCTIONS = [f for f in declarative.FUNCTIONS + imperative.FUNCTIONS + places.FUNCTIONS + _OURS if f.since <= SPARK]

# Older Sparks refuse FILTER in a window.
HAS_FILTERS = SPARK >= (4, 2)


SKEWED_KEYS = "spark.slidewise.parallel.skewedKeys"


@dataclass(frozen=True)
class Case:
    """One expression over one frame. `taken`: Slidewise must run it."""

    spark: str
    duckdb: str | None
    compare: Compare
    tolerance: float
    taken: bool


@dataclass(frozen=True)
class Query:
    """`storage`: how the table reaches the window, "parquet", "cached" or "local"."""

    seed: int
    index: int
    table: Table
    storage: str
    settings: dict[str, str]
    cases: list[Case]


def random_query(seed: int, index: int) -> Query:
    rng = random.Random(f"{seed}/{index}")
    extreme = index % 3 == 2
    table = random_table(rng, extreme)
    storage = rng.choice(["parquet", "cached", "local"])
    legacy_intervals = rng.random() < 0.05
    settings = random_settings(rng, legacy_intervals) | random_sharing(random.Random(f"{seed}/{index}/tasks"))
    windows = [random_window(rng, table, legacy_intervals) for _ in range(rng.choice([1, 2, 3]))]
    wanted, cases = 8 if extreme else 45, list[Case]()
    while len(cases) < wanted:
        case = random_case(rng, table, windows, tied=_ties_keep_their_order(storage, settings))
        cases += [case] if case else []
    return Query(seed, index, table, storage, settings, cases)


def random_settings(rng: random.Random, legacy_intervals: bool) -> dict[str, str]:
    def flag(share: float) -> str:
        return str(rng.random() < share).lower()

    interpreted = rng.random() < 0.4
    return {
        "spark.sql.ansi.enabled": flag(0.5),
        "spark.sql.adaptive.enabled": flag(0.5),
        "spark.sql.codegen.wholeStage": "false" if interpreted else flag(0.7),
        "spark.sql.codegen.factoryMode": "NO_CODEGEN" if interpreted else rng.choice(["FALLBACK", "CODEGEN_ONLY"]),
        "spark.sql.shuffle.partitions": rng.choice(["1", "2"]),
        "spark.sql.session.timeZone": rng.choice(["UTC", "America/New_York", "Asia/Kolkata"]),
        "spark.sql.legacy.interval.enabled": str(legacy_intervals).lower(),
        "spark.slidewise.mergeApproximate": flag(0.5),
        # Rows that Spark's operator keeps as objects. It is not made to spill: past a spill it opens a
        # reader of megabytes for each row of a frame that ends UNBOUNDED FOLLOWING.
        "spark.sql.windowExec.buffer.in.memory.threshold": rng.choice(["5", "4096", "4096"]),
    }


def random_sharing(rng: random.Random) -> dict[str, str]:
    """Settings by which several tasks share windows, in half of the queries; with PARTITION BY in a quarter of them."""
    if rng.random() < 0.5:
        return {}
    return {
        "spark.slidewise.parallel.minRows": str(rng.randint(1, 20)),
        "spark.sql.shuffle.partitions": str(rng.randint(2, 7)),
        SKEWED_KEYS: rng.choice(["detected", "expected"]),
    }


def random_case(rng: random.Random, table: Table, windows: list[Window], tied: bool) -> Case | None:
    """`tied`: whether rows that tie come in one order, so that they may decide an answer."""
    window = rng.choice(windows)
    call = rng.choices(FUNCTIONS, [f.weight for f in FUNCTIONS])[0].make(rng, table)
    if call is None or ((call.ordered or call.frameless) and not window.ordered):
        return None
    frame = None if call.frameless else rng.choice(window.frames)
    if not (window.determined(frame, call.ordered) or tied):
        return None
    if call.time and f"ORDER BY {call.time} DESC" in window.keys:
        return None
    return _over(rng, table, call, window, frame)


def _ties_keep_their_order(storage: str, settings: dict[str, str]) -> bool:
    """One file is one task; the slices of a local table race. Shared tasks and second reads take rows as they come."""
    return storage != "local" and SKEWED_KEYS not in settings


def _over(rng: random.Random, table: Table, call: Call, window: Window, frame: Frame | None) -> Case:
    condition = random_condition(rng, table) if call.filters and HAS_FILTERS and rng.random() < 0.2 else None
    filtered = f"FILTER (WHERE {condition}) " if condition else ""
    spark = call.spark.replace("{over}", filtered + window.over(frame))
    duckdb = None
    over = window.duckdb(frame)
    if call.duckdb and over and window.determined(frame, call.ordered):
        positional = "_value(" in call.duckdb
        if not (condition and positional):
            duckdb = call.duckdb.replace("{over}", filtered + over)
            duckdb = duckdb.replace("{and}", f" AND ({condition})" if condition else "")
            duckdb = duckdb.replace("{window}", over)
    return Case(spark, duckdb, call.compare, call.tolerance, condition != "false")


def random_condition(rng: random.Random, table: Table) -> str:
    x = pick(rng, table, INTEGRAL).name
    return rng.choice(["boolean_0", f"{x} > 0", "id % 3 = 0", "string_0 = 'a'", "false", f"{x} IS NULL"])
