"""What each task of a query cost, by Spark's own metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shared.events import EventLog

_NANOS = 1e9


@dataclass(frozen=True)
class Task:
    launched: float
    """Seconds since 1970."""
    finished: float
    cpu: float
    """Seconds of the processor in the task's own thread."""
    spilled: int
    """Bytes in files."""


@dataclass(frozen=True)
class Stage:
    tasks: list[Task]

    @property
    def cpu(self) -> float:
        return sum(task.cpu for task in self.tasks)

    @property
    def largest(self) -> float:
        """The CPU time of the task that took most."""
        return max(task.cpu for task in self.tasks)


def stages(log: EventLog, spark: Any) -> list[Stage]:
    """Of all queries since the last call, in order. Tasks of a query that was stopped do not count."""
    tasks: dict[int, list[Task]] = {}
    for event in log.since_last(spark, "SparkListenerTaskEnd"):
        reason = event["Task End Reason"]["Reason"]
        if reason == "TaskKilled":
            continue
        if reason != "Success":
            raise RuntimeError(f"a task failed: {event['Task End Reason']}")
        info, metrics = event["Task Info"], event["Task Metrics"]
        tasks.setdefault(event["Stage ID"], []).append(
            Task(
                info["Launch Time"] / 1_000,
                info["Finish Time"] / 1_000,
                metrics["Executor CPU Time"] / _NANOS,
                metrics["Disk Bytes Spilled"],
            )
        )
    return [Stage(tasks[stage]) for stage in sorted(tasks)]
