"""What was measured, as it stands in the results' JSON."""

from __future__ import annotations

import importlib.metadata
from dataclasses import asdict, dataclass
from typing import Any

from measuring import Contender
from shared import machine
from shared.engines import THREADS
from shared.results import Results

TASKS, GROWTH, LARGE = "tasks", "growth", "large"


@dataclass(frozen=True)
class Cost:
    """Of a run: seconds, and CPU seconds of all its tasks and of the largest, in its last stage and in all stages."""

    seconds: float
    cpu: float
    largest: float
    last_cpu: float
    last_largest: float
    last_tasks: int


@dataclass(frozen=True)
class Measured:
    query: str
    order: str
    rows: int
    tasks: int
    reads: int
    parallel: bool
    runs: list[Cost]


def of(contenders: list[Contender]) -> list[Measured]:
    return [Measured(c.query.name, c.order, c.rows, c.tasks, c.reads, c.parallel, _costs(c)) for c in contenders]


def _costs(contender: Contender) -> list[Cost]:
    return [
        Cost(
            round(run.seconds, 4),
            round(run.cpu, 4),
            round(max(stage.largest for stage in run.stages), 4),
            round(run.stages[-1].cpu, 4),
            round(run.stages[-1].largest, 4),
            len(run.stages[-1].tasks),
        )
        for run in contender.runs
    ]


def with_group(found: Results, name: str, group: dict[str, Any]) -> Results:
    """The results with this group in the place of its older figures."""
    where: dict[str, Any] = machine.where(name) | {"threads": THREADS, "pyspark": importlib.metadata.version("pyspark")}
    return found | {name: group | {"where": where}}


def group(contenders: list[Contender], **more: Any) -> dict[str, Any]:
    return {"measured": [asdict(m) for m in of(contenders)]} | more


def measured(found: dict[str, Any]) -> list[Measured]:
    return [Measured(**(m | {"runs": [Cost(**cost) for cost in m["runs"]]})) for m in found["measured"]]
