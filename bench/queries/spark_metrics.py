"""What Spark says of a query that it has run: the metrics of its operators, and its tasks' memory."""

from __future__ import annotations

from typing import Any

from shared.events import EventLog

_PEAK = "Peak On Heap Execution Memory"


def metric(plan: Any, name: str) -> int:
    """The sum of a metric over a plan, also below what adaptive execution wraps."""
    found = plan.metrics().get(name)
    here = int(found.get().value()) if found.isDefined() else 0
    wrapped = {"AdaptiveSparkPlan": "executedPlan", "ShuffleQueryStage": "plan", "ResultQueryStage": "plan"}
    inner = wrapped.get(plan.nodeName())
    if inner is not None:
        return here + metric(getattr(plan, inner)(), name)
    children = plan.children()
    return here + sum(metric(children.apply(i), name) for i in range(children.size()))


class Memory:
    """The execution memory of tasks, which the task memory manager counts and only the event log tells."""

    def __init__(self) -> None:
        self._log = EventLog()

    def settings(self) -> dict[str, str]:
        return self._log.settings()

    def largest_task(self, spark: Any) -> int:
        """The most bytes that any one task held at a time, of those that have ended since the last call."""
        events = self._log.since_last(spark, "SparkListenerTaskEnd")
        return max((e["Task Metrics"][_PEAK] for e in events if e.get("Task Metrics")), default=0)


MEMORY = Memory()
