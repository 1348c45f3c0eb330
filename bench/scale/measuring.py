"""Compares the answers of one task and of several, then runs both in turns and counts the CPU time of each task."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from queries import Query
from shared.events import EventLog
from shared.spark import SLIDING_WINDOW, operators, plan
from shared.tasks import Stage, stages
from shared.turns import drawn

MIN_ROWS = 500_000
"""The default of `spark.slidewise.parallel.minRows`."""

_SKEWED = "64k"

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Effort:
    rows: int | None
    """None: some for each task."""

    checked: int
    """Rows to compare the answers on."""
    tasks: list[int]
    reads: int | None
    turns: int


class DisagreementError(Exception):
    pass


@dataclass(frozen=True)
class Run:
    seconds: float
    stages: list[Stage]

    @property
    def cpu(self) -> float:
        return sum(stage.cpu for stage in self.stages)


@dataclass
class Contender:
    """A query over a file, evaluated by a number of tasks or by one."""

    query: Query
    rows: int
    order: str
    file: Path
    tasks: int
    reads: int
    """How many tasks read the file, for several tasks and for one alike."""
    parallel: bool
    runs: list[Run] = field(default_factory=list)

    @property
    def words(self) -> str:
        by = f"{self.tasks} tasks" if self.parallel else f"one task (of {self.tasks})"
        return f"{self.query.name}, {self.rows:,} rows {self.order}, {by}"


def frame(spark: Any, one: Contender, sql: str) -> Any:
    settings = {
        "spark.slidewise.parallel.enabled": str(one.parallel).lower(),
        # Few rows, which warm up or are compared, are to be cut as often as many.
        "spark.slidewise.parallel.minRows": min(MIN_ROWS, max(1, one.rows // (2 * one.tasks))),
        "spark.slidewise.parallel.skewThreshold": _SKEWED,
        "spark.slidewise.parallel.skewedKeys": "expected" if one.query.expected else "detected",
        # A skewed key is shared as on a machine with a core for each task.
        "spark.slidewise.parallel.cores": one.tasks,
        "spark.sql.shuffle.partitions": one.tasks,
        "spark.sql.files.minPartitionNum": 1,
        "spark.sql.files.maxPartitionBytes": -(-one.file.stat().st_size // one.reads),
    }
    for name, value in settings.items():
        spark.conf.set(name, str(value))
    return spark.sql(sql)


def source(one: Contender) -> str:
    return f"parquet.`{one.file}`"


def compare(spark: Any, contenders: list[Contender], tell: Tell) -> None:
    answers: dict[tuple[str, str], Any] = {}
    for one in contenders:
        asked = frame(spark, one, one.query.checksum(source(one)))
        assert operators(plan(asked)) == {SLIDING_WINDOW}, f"not what Slidewise should run:\n{plan(asked)}"
        answer = asked.collect()[0]
        if answers.setdefault((one.query.name, one.order), answer) != answer:
            raise DisagreementError(f"{one.words}: {answer}, not {answers[one.query.name, one.order]}")
    tell(f"the same answers from one task and several: {len(answers)} queries over {contenders[0].rows:,} rows")


def run(spark: Any, log: EventLog, one: Contender) -> Run:
    stages(log, spark)
    asked = frame(spark, one, one.query.over(source(one)))
    start = time.perf_counter()
    asked.write.format("noop").mode("overwrite").save()
    took = Run(time.perf_counter() - start, stages(log, spark))
    last = len(took.stages[-1].tasks)
    if not one.query.skewed and last != (one.tasks if one.parallel else 1):
        raise RuntimeError(f"{one.words}: {last} tasks evaluated the window")
    return took


def measure(spark: Any, log: EventLog, contenders: list[Contender], turns: int, tell: Tell) -> Iterator[int]:
    """Adds to the contenders' runs. After each turn, the number of turns that are done."""
    for done, (_, one) in enumerate(drawn(contenders, turns), 1):
        one.runs.append(run(spark, log, one))
        tell(f"{one.words}: {one.runs[-1].seconds:.2f} s, {one.runs[-1].cpu:.2f} s of CPU")
        if done % len(contenders) == 0:
            yield done // len(contenders)
