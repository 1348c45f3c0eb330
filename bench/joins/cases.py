"""What is compared: for each case, the tables, the contenders, and the ratios with their goals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import data
import queries
from data import FRAME_DAYS, Tables
from queries import OUTPUT
from shared.engines import DUCKDB
from shared.spark import AS_OF_JOIN, SLIDEWISE, SLIDING_WINDOW, SPARK, WINDOW_JOIN

POLARS, PANDAS, FEATURETOOLS = "Polars", "pandas", "Featuretools"
TEMPO, TEMPO_ON_SLIDEWISE = "dbl-tempo", "dbl-tempo on Slidewise"
PEERS = {
    POLARS: "polars",
    PANDAS: "pandas",
    FEATURETOOLS: "featuretools",
    TEMPO: "dbl-tempo",
    TEMPO_ON_SLIDEWISE: "dbl-tempo",
}
"""The packages of the engines that run only if they are asked for: see requirements.txt."""


@dataclass(frozen=True)
class Contender:
    name: str
    engine: str
    sql: str
    """For a library, the name of its way in `frames` or `tempo`."""
    operator: str | None = None
    """The operator of Slidewise that must run it."""
    answers: tuple[str, ...] = ()
    """The columns to compare with the other contenders of the case, by `id`."""
    settings: dict[str, str] = field(default_factory=dict)
    tasks: int | None = None


@dataclass(frozen=True)
class Ratio:
    """Of two contenders' seconds, or of the slowest and the fastest of all if there are no names."""

    of: str | None
    by: str | None
    goal: str


@dataclass(frozen=True)
class Case:
    name: str
    words: str
    tables: Callable[[float, Path], Tables]
    contenders: Sequence[Contender]
    ratios: Sequence[Ratio]
    same: bool = False
    """Whether all contenders that have answers have the same."""


_DAYS = f"{FRAME_DAYS} DAYS"


def _joined(name: str, sql: str, **more: object) -> Contender:
    return Contender(name, SLIDEWISE, sql, WINDOW_JOIN, OUTPUT, **more)  # type: ignore[arg-type]


_AGGREGATES = Case(
    "aggregates",
    "sum, count and max of the 100 events before each row",
    data.uniform,
    [
        _joined("LATERAL", queries.lateral(_DAYS)),
        _joined("scalar subqueries", queries.scalars(_DAYS)),
        _joined("join and GROUP BY", queries.grouped(_DAYS)),
        Contender("union and OVER", SLIDEWISE, queries.union(FRAME_DAYS), SLIDING_WINDOW, OUTPUT),
        Contender("OVER, events alone", SLIDEWISE, queries.over(FRAME_DAYS), SLIDING_WINDOW),
        Contender("Spark, join and GROUP BY", SPARK, queries.grouped(_DAYS), None, OUTPUT),
        Contender("Spark, union and OVER", SPARK, queries.union(FRAME_DAYS), None, OUTPUT),
        Contender("DuckDB, join and GROUP BY", DUCKDB, queries.grouped(_DAYS), None, OUTPUT),
        Contender("DuckDB, union and OVER", DUCKDB, queries.union(FRAME_DAYS), None, OUTPUT),
        Contender("Polars, join_where and group_by", POLARS, "window", None, OUTPUT),
    ],
    [
        Ratio("LATERAL", "union and OVER", "at most 0.7"),
        Ratio("LATERAL", "OVER, events alone", "at most 1.3"),
        Ratio("Spark, join and GROUP BY", "LATERAL", "at least 8"),
        Ratio("Spark, union and OVER", "LATERAL", ""),
        Ratio("DuckDB, join and GROUP BY", "LATERAL", ""),
        Ratio("DuckDB, union and OVER", "LATERAL", ""),
        Ratio("Polars, join_where and group_by", "LATERAL", ""),
    ],
    same=True,
)

_FEWER = Case(
    "fewer rows",
    "the same for a hundredth of the rows",
    lambda scale, cache: data.uniform(scale / 100, cache),
    [
        _joined("LATERAL", queries.lateral(_DAYS)),
        Contender("Featuretools, training_window", FEATURETOOLS, "window", None, OUTPUT),
    ],
    [Ratio("Featuretools, training_window", "LATERAL", "")],
    same=True,
)

_FRAMES = Case(
    "frames",
    "the same, over frames from a minute to 90 days",
    data.uniform,
    [_joined(i.lower(), queries.lateral(i)) for i in ("1 MINUTE", "1 HOUR", "1 DAY", "10 DAYS", "90 DAYS")],
    [Ratio(None, None, "at most 1.25")],
)

_SEVERAL = Case(
    "several",
    "five frames with three aggregates each, and one",
    data.uniform,
    [
        _joined("one frame", queries.lateral("10 DAYS")),
        Contender(
            "five frames",
            SLIDEWISE,
            queries.lateral("10 DAYS", "1 HOUR", "1 DAY", "5 DAYS", "30 DAYS"),
            WINDOW_JOIN,
            OUTPUT,
        ),
    ],
    [Ratio("five frames", "one frame", "at most 1.6")],
)

_DATED = Case(
    "dated",
    "1,000 rows of the last day, over events that are partitioned by date",
    data.dated,
    [
        _joined("by date", queries.by_date()),
        Contender("reading the date", SLIDEWISE, queries.rows_of_day("2026-04-09", "2026-04-09")),
        _joined("by time", queries.lateral("1 DAY")),
        Contender("reading the times", SLIDEWISE, queries.rows_between("2026-04-09", "2026-04-11")),
    ],
    [
        Ratio("by date", "reading the date", "at most 1.2"),
        Ratio("by time", "reading the times", "at most 1.2"),
    ],
)


def _shared(tasks: int) -> Contender:
    settings = {
        # As many tasks read the files.
        "spark.sql.files.maxPartitionBytes": str(30_000_000 // tasks),
        "spark.sql.shuffle.partitions": str(tasks),
        "spark.slidewise.parallel.minRows": str(data.EVENTS // tasks // 2),
        "spark.slidewise.parallel.skewThreshold": "64k",
        "spark.slidewise.parallel.cores": str(tasks),
    }
    return _joined(f"{tasks} tasks", queries.lateral(_DAYS), settings=settings, tasks=tasks)


_SKEW = Case(
    "skew",
    "half of the rows and of the events in one key",
    data.skewed,
    [_shared(8), _shared(32)],
    [],
    same=True,
)


_TEMPO = [
    Contender("dbl-tempo, asofJoin", TEMPO, "asof", None, ("s",)),
    Contender("the same with Slidewise on", TEMPO_ON_SLIDEWISE, "asof", SLIDING_WINDOW, ("s",)),
]


def _asof(name: str, words: str, keys: list[str], tables: Callable[[float, Path], Tables], goals: list[str]) -> Case:
    asof = queries.asof_spark(keys)
    return Case(
        name,
        words,
        tables,
        [
            Contender("ASOF JOIN", SLIDEWISE, asof, AS_OF_JOIN, ("s",)),
            Contender("LATERAL", SLIDEWISE, queries.newest(keys), AS_OF_JOIN, ("s",)),
            Contender("Spark, ASOF JOIN", SPARK, asof, None, ("s",)),
            Contender("DuckDB, ASOF JOIN", DUCKDB, queries.asof_duckdb(keys), None, ("s",)),
            Contender("Polars, join_asof", POLARS, "asof" if keys else "asof_without_keys", None, ("s",)),
            Contender("pandas, merge_asof", PANDAS, "asof" if keys else "asof_without_keys", None, ("s",)),
            *(_TEMPO if keys else []),
        ],
        [
            Ratio("Spark, ASOF JOIN", "ASOF JOIN", goals[0]),
            Ratio("ASOF JOIN", "DuckDB, ASOF JOIN", goals[1]),
            Ratio("ASOF JOIN", "Polars, join_asof", ""),
            Ratio("ASOF JOIN", "pandas, merge_asof", ""),
            *([Ratio(one.name, "ASOF JOIN", "") for one in _TEMPO] if keys else []),
        ],
        same=True,
    )


CASES = [
    _AGGREGATES,
    _FEWER,
    _FRAMES,
    _SEVERAL,
    _DATED,
    _SKEW,
    _asof("as-of", "the newest event at or before each row", ["k"], data.uniform, ["at least 7", "at most 2.5"]),
    _asof("as-of without keys", "the same, without keys", [], data.without_keys, ["", "at most 3"]),
]
