"""What Spark says of a query that it has run: the metrics of its operators, and its tasks' memory."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

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
        self._directory = Path(tempfile.mkdtemp(prefix="bench-events-"))
        self._log: Path | None = None
        self._read = 0

    def settings(self) -> dict[str, str]:
        return {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": self._directory.as_uri(),
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
        }

    def largest_task(self, spark: Any) -> int:
        """The most bytes that any one task held at a time, of those that have ended since the last call."""
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        self._log = self._log or next(self._directory.iterdir())
        with self._log.open() as log:
            log.seek(self._read)
            events = [json.loads(line) for line in log if '"SparkListenerTaskEnd"' in line]
            log.seek(0, 2)
            self._read = log.tell()
        return max((e["Task Metrics"][_PEAK] for e in events if e.get("Task Metrics")), default=0)


MEMORY = Memory()
