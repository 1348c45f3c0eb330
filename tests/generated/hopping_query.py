"""Random queries that group rows by a hopping window()."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sparks import SPARK

UNITS = {
    "microsecond": 1,
    "millisecond": 10**3,
    "second": 10**6,
    "minute": 60 * 10**6,
    "hour": 3600 * 10**6,
    "day": 86400 * 10**6,
}
# Spark reads and Python writes all times between them.
EARLIEST, LATEST = (int(dt.datetime(year, 1, 1, tzinfo=dt.UTC).timestamp()) * 10**6 for year in (1600, 2400))
ZONES = ["UTC", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"]


@dataclass(frozen=True)
class Row:
    """A time in microseconds, two keys and the values."""

    id: int
    t: int | None
    k: Any
    j: Any
    x: int | None
    d: Decimal | None
    s: str | None


@dataclass(frozen=True)
class Windows:
    size: int
    slide: int
    offset: int

    def __str__(self) -> str:
        start = f", '{self.offset} microseconds'" if self.offset else ""
        return f"'{self.size} microseconds', '{self.slide} microseconds'{start}"


@dataclass(frozen=True)
class HoppingQuery:
    """What to ask of which rows; the conditions are those of the rows, the windows and the groups."""

    rows: list[Row]
    partitions: int
    key_types: tuple[str, str]
    keys: list[str]
    windows: Windows
    time_type: str
    calls: list[str]
    least_x: int | None
    first_start: int | None
    least_count: int | None
    settings: dict[str, str]

    @property
    def sql(self) -> str:
        keys = "".join(f", {key}" for key in self.keys)
        where = "" if self.least_x is None else f" WHERE x >= {self.least_x}"
        windows = "" if self.first_start is None else f" WHERE w.start >= {self._time(self.first_start)}"
        groups = "" if self.least_count is None else f" HAVING count(*) >= {self.least_count}"
        inner = f"SELECT *, window({self._time('t')}, {self.windows}) AS w FROM hopping{where}"
        ends = "unix_micros(cast(w.start AS timestamp)), unix_micros(cast(w.end AS timestamp))"
        calls = ", ".join(f"{call} AS a{i}" for i, call in enumerate(self.calls))
        return f"SELECT {ends}{keys}, {calls} FROM ({inner}){windows} GROUP BY w{keys}{groups}"

    def _time(self, micros: Any) -> str:
        return f"cast(timestamp_micros({micros}) AS {self.time_type})"


def _letters(rng: random.Random) -> str:
    return "".join(rng.choices("abc", k=rng.randint(0, 3)))


KEYS: dict[str, Callable[[random.Random], Any]] = {
    "bigint": lambda rng: rng.randint(-2, 2),
    "string": _letters,
    "double": lambda rng: rng.choice([0.0, -0.0, float("nan"), 1.5, float("inf")]),
    "decimal(20,3)": lambda rng: Decimal(rng.randint(-2, 2)) / 8,
    "boolean": lambda rng: rng.random() < 0.5,
    "date": lambda rng: dt.date(1969, 12, 30) + dt.timedelta(rng.randint(0, 3)),
    "binary": lambda rng: _letters(rng).encode(),
}

# The oracle knows these.
ORACLE_CALLS = [
    "count(*)",
    "count(x)",
    "sum(x)",
    "avg(x)",
    "min(x)",
    "max(x)",
    "sum(d)",
    "avg(d)",
    "min(d)",
    "max(s)",
    "min(s)",
    "sum(x) FILTER (WHERE x > 0)",
    "count(*) FILTER (WHERE x > 0)",
]
# Of these, the results do not depend on the order of the rows.
OTHER_CALLS = [
    "max_by(x, id)",
    "min_by(s, id)",
    "bit_xor(x)",
    "bool_or(x > 90)",
    "sort_array(collect_list(x))",
    "sort_array(collect_set(s))",
    "percentile(x, 0.25)",
    "percentile(d, array(0.1, 0.5, 1))",
    "percentile(x / 7D, 0.75, 2)",
    "median(x) FILTER (WHERE x > 3)",
    "percentile_approx(x, 0.4)",
    "percentile_approx(d, array(0, 0.3, 1))",
    "approx_count_distinct(s)",
    "approx_count_distinct(x)",
    "max(named_struct('s', s, 'x', x))",
    "stddev_samp(x)",
    "var_pop(d)",
    "corr(x, id)",
    "skewness(x)",
    "sum(cast(x AS double) / 7)",
    "try_avg(x)",
    "count_if(x > 3)",
    *(["listagg(nullif(s, s))"] if SPARK >= (4, 0) else []),
]


def _windows(rng: random.Random) -> Windows:
    slide = rng.randint(1, 30) * rng.choice(list(UNITS.values()))
    if rng.random() < 0.3:
        slide += rng.randint(0, 999)
    times = rng.choice([rng.randint(2, 4), rng.randint(2, 60)])
    size = slide * times + (0 if rng.random() < 0.5 else -rng.randint(0, slide - 1))
    size = max(size, slide + 1)
    offset = 0 if rng.random() < 0.5 else rng.randint(1 - slide, slide - 1)
    return Windows(size, slide, offset)


def _times(rng: random.Random, windows: Windows, count: int) -> list[int | None]:
    """Rows near each other, gaps of any length, times twice, edges of windows, and nulls, in a random order."""
    low, high = EARLIEST + 2 * windows.size, LATEST - 2 * windows.size
    at = rng.choice([0, rng.randint(low // 2, high // 2)])
    nulls = rng.choice([0, 0, 0.1, 1 if rng.random() < 0.1 else 0])
    times: list[int | None] = []
    for _ in range(count):
        step = rng.choices([0, 1, windows.slide, windows.size, 1000 * windows.size], [2, 1, 8, 2, 0.5])[0]
        at += rng.choice([-1, 1, 1, 1]) * rng.randint(0, step)
        at = min(max(at, low), high)
        edge = at - (at - windows.offset - rng.choice([0, windows.size])) % windows.slide
        times.append(None if rng.random() < nulls else rng.choices([at, edge, edge - 1], [8, 2, 1])[0])
    if rng.random() < 0.7:
        rng.shuffle(times)
    return times


def random_hopping_query(seed: int, index: int) -> HoppingQuery:
    rng = random.Random(f"hopping/{seed}/{index}")
    windows = _windows(rng)
    times = _times(rng, windows, rng.choice([1, rng.randint(2, 20), rng.randint(20, 300)]))
    types = (rng.choice(list(KEYS)), rng.choice(list(KEYS)))

    def maybe(value: Any, share: float = 0.15) -> Any:
        return None if rng.random() < share else value

    rows = [
        Row(
            id,
            t,
            maybe(KEYS[types[0]](rng)),
            maybe(KEYS[types[1]](rng)),
            maybe(rng.randint(-100, 100) * rng.choice([1, 10**9])),
            maybe(Decimal(rng.randint(-(10**9), 10**9)) / 100),
            maybe(_letters(rng)),
        )
        for id, t in enumerate(times)
    ]
    time_type = rng.choice(["timestamp", "timestamp", "timestamp_ntz"])
    held = [t for t in times if t is not None]
    calls = rng.sample(ORACLE_CALLS, rng.randint(1, 4)) + rng.sample(OTHER_CALLS, rng.randint(0, 3))
    rng.shuffle(calls)
    return HoppingQuery(
        rows=rows,
        partitions=rng.randint(1, 4),
        key_types=types,
        keys=rng.choice([[], ["k"], ["k"], ["j", "k"]]),
        windows=windows,
        time_type=time_type,
        calls=calls,
        least_x=rng.choice([None, None, rng.randint(-100, 50)]),
        first_start=rng.choice([None, None, rng.choice(held)]) if held else None,
        least_count=rng.choice([None, None, rng.randint(1, 4)]),
        settings={
            # A time without a zone is written in the session's.
            "spark.sql.session.timeZone": "UTC" if time_type == "timestamp_ntz" else rng.choice(ZONES),
            "spark.sql.adaptive.enabled": rng.choice(["true", "false"]),
            "spark.sql.ansi.enabled": rng.choice(["true", "false"]),
            "spark.sql.codegen.wholeStage": rng.choice(["true", "true", "false"]),
            "spark.sql.shuffle.partitions": str(rng.randint(1, 4)),
            "spark.slidewise.state.maxSize": rng.choice(["256m", "256m", "1k"]),
        },
    )
