"""Where a query's time goes: each phase as a query that ends with it, and what Slidewise's operator says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import measuring
from cases import PHASES, Case, headline
from engines import DUCKDB, FLOOR, SLIDEWISE, SPARK, THREADS, Engine
from measuring import Effort
from record import Measurement
from spark_engines import Spark
from spark_metrics import metric

SCAN = "scan"
SHUFFLE = "scan, shuffle by k"
SORT = "scan, shuffle, Spark's sort by k, ts"
WHOLE = "sum over the last {length:,} rows"
SORTING = "of that, until its rows have come and are sorted"
KERNEL = "of that, in its window"
LENGTHS = (10, 100_000)


class Prefix(Spark):
    """The first phases of a query, and no window."""

    def __init__(self, spark: Any, cache: Any, name: str) -> None:
        super().__init__(spark, cache, SPARK)
        self.phase = name

    def _dataframe(self, case: Case, rows: int) -> Any:
        found = self._spark.table(self._view(case, rows))
        if self.phase != SCAN:
            found = found.repartition(THREADS, "k")
        return found.sortWithinPartitions("k", "ts") if self.phase == SORT else found


def measured(
    spark: Any, engines: list[Engine], rows: int, effort: Effort, tell: Callable[[str], None]
) -> list[Measurement]:
    by_name = {engine.name: engine for engine in engines}
    slidewise = by_name[SLIDEWISE]
    assert isinstance(slidewise, Spark)
    plain = replace(headline(rows)[0], group=PHASES, rows=rows)
    asked: list[tuple[str, Case, Engine]] = [
        *((phase, plain, Prefix(spark, slidewise.cache, phase)) for phase in (SCAN, SHUFFLE, SORT)),
        (FLOOR, plain, by_name[FLOOR]),
    ]
    for length in LENGTHS:
        case = replace(plain, length=length)
        for name in (SLIDEWISE, SPARK, DUCKDB):
            if name in by_name and (name != SPARK or length == LENGTHS[0]):
                asked.append((WHOLE.format(length=length), case, by_name[name]))
    seconds: list[list[float]] = [[] for _ in asked]
    inside: dict[tuple[int, str], list[float]] = {}
    for turn in range(effort.repetitions + 1):
        for i, (label, case, engine) in enumerate(asked):
            took = measuring.timed(engine, case, rows)
            if turn:
                tell(f"turn {turn}: {label}, {engine.name}: {took:.2f} s")
                seconds[i].append(took)
        for length in LENGTHS:
            for label, took in _inside(slidewise, replace(plain, length=length), rows).items():
                if turn:
                    inside.setdefault((length, label), []).append(took)
    found = [
        Measurement(label, label, case.frame.value, case.length, rows, engine.name, rows, _rounded(s))
        for (label, case, engine), s in zip(asked, seconds, strict=True)
    ]
    return found + [
        Measurement(label, label, plain.frame.value, length, rows, SLIDEWISE, rows, _rounded(s))
        for (length, label), s in inside.items()
    ]


def _inside(slidewise: Spark, case: Case, rows: int) -> dict[str, float]:
    """The operator's own clocks: the sum over its tasks, which run side by side."""
    plan = slidewise.executed_plan(case, rows)
    clocks = {SORTING: "sortTime", KERNEL: "windowTime"}
    return {label: metric(plan, name) / 1e9 / THREADS for label, name in clocks.items()}


def _rounded(seconds: list[float]) -> list[float]:
    return [round(s, 4) for s in seconds]
