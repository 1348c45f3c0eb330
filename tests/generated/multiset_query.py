"""A random query of DISTINCT aggregates, percentiles and modes, beside other window functions."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from sparks import SPARK

from generated.column import DECIMAL, DOMAINS
from generated.frame import UNBOUNDED, Frame
from generated.multisets import FUNCTIONS, MultisetCall
from generated.query import HAS_FILTERS, Case, Query, random_case, random_condition, random_settings
from generated.table import Table, random_table
from generated.window import Window, random_window

SORT = "spark.slidewise.sort.enabled"
DRAWN = [function for function in FUNCTIONS if function.since <= SPARK]


@dataclass(frozen=True)
class MultisetCase(Case):
    """`grouped`: the aggregate in GROUP BY, where Spark alone refuses it over the frame. `kernel`: run in arrays."""

    window: Window
    frame: Frame
    grouped: str | None
    kernel: bool


@dataclass(frozen=True)
class MultisetQuery(Query):
    multisets: list[MultisetCase]
    """Those of the cases that are no other functions."""


def random_multiset_query(seed: int, index: int) -> MultisetQuery:
    rng = random.Random(f"multisets/{seed}/{index}")
    extreme = index % 4 == 3
    # Of two rows and fewer, the other random queries have enough.
    table = random_table(rng, extreme, rng.choice([7, 30, 100, 200, 300]))
    storage = rng.choice(["parquet", "cached", "local"])
    settings = random_settings(rng, legacy_intervals=False)
    settings["spark.sql.legacy.percentileDiscCalculation"] = str(rng.random() < 0.1).lower()
    # If false, row by row.
    settings[SORT] = str(rng.random() < 0.85).lower()
    windows, over = _random_frames(rng, table)
    # Otherwise no function could be drawn.
    while not any(window.determined(frame, ordered=False) for window, frame in over):
        windows, over = _random_frames(rng, table)
    multisets, others = list[MultisetCase](), list[Case]()
    while len(multisets) < 14:
        case = _random_multiset(rng, table, settings, *rng.choice(over))
        multisets += [case] if case else []
    while len(others) < 3:
        # As if of a local table, whose ties have no order: the windows of the other cases may leave another one.
        other = random_case(rng, table, windows, tied=False)
        others += [replace(other, duckdb=None)] if other else []
    cases = rng.sample([*multisets, *others], len(multisets) + len(others))
    return MultisetQuery(seed, index, table, storage, settings, cases, multisets)


def _random_frames(rng: random.Random, table: Table) -> tuple[list[Window], list[tuple[Window, Frame]]]:
    """Two windows, and frames over them."""
    windows = [random_window(rng, table, legacy_intervals=False) for _ in range(2)]
    # Of one window by most, so that it has neighbours; and few, since each is a query of its own in GROUP BY.
    over = [(window, frame) for window in windows for frame in rng.sample(window.frames, 1)]
    over += [(windows[0], frame) for frame in rng.sample(windows[0].frames, 1)]
    return windows, over


def _random_multiset(
    rng: random.Random, table: Table, settings: dict[str, str], window: Window, frame: Frame
) -> MultisetCase | None:
    call = rng.choices(DRAWN, [f.weight for f in DRAWN])[0].make(rng, table)
    if call is None or not window.determined(frame, ordered=False):
        return None
    assert isinstance(call, MultisetCall)
    condition = random_condition(rng, table) if HAS_FILTERS and rng.random() < 0.2 else None
    if condition == "false" and call.refused:
        # Spark replaces the function by a constant, which no window operator takes.
        condition = "id < 0"
    filtered = f"FILTER (WHERE {condition}) " if condition else ""
    legacy = "percentile_disc" in call.spark and settings["spark.sql.legacy.percentileDiscCalculation"] == "true"
    over = None if legacy else window.duckdb(frame)
    # An outer join gives an empty frame a row of nulls.
    within = f"FILTER (WHERE id IS NOT NULL{f' AND ({condition})' if condition else ''})"
    return MultisetCase(
        call.spark.replace("{over}", filtered + window.over(frame)),
        call.duckdb.replace("{over}", filtered + over) if call.duckdb and over else None,
        call.compare,
        call.tolerance,
        condition != "false",
        window,
        frame,
        (call.grouped or call.spark).replace("{over}", within) if call.refused else None,
        call.kernel
        and settings[SORT] == "true"
        and _in_arrays(table, window, frame)
        and not _as_in_spark(call, settings),
    )


def _as_in_spark(call: MultisetCall, settings: dict[str, str]) -> bool:
    """Whether the settings ask for Spark's own result of an approximate function."""
    return "percentile_approx" in call.spark and settings["spark.slidewise.mergeApproximate"] == "false"


def _in_arrays(table: Table, window: Window, frame: Frame) -> bool:
    """Whether arrays evaluate the frame: not by an offset of a key that is wider than 64 bits; nor a whole partition,
    which is left to Spark where rows come in order.
    """
    bounds = {abs(frame.lower), abs(frame.upper)}
    wide = any(f"ORDER BY {c.name} " in window.keys for c in table.of((DECIMAL[-1],), DOMAINS))
    by_offset = frame.unit == "RANGE" and bool(bounds - {0, UNBOUNDED})
    return bounds != {UNBOUNDED} and not (wide and by_offset)
