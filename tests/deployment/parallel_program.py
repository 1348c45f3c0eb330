"""Asks for windows that several tasks share, on a cluster.

The first argument, if there is one, is the stage of each query in which one of the executors is killed. Prints a line
for each query: its name, whether one task has the same answer, and its tasks.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

ROWS = 60_000
SOURCES = {
    "range": f"range(0, {ROWS}, 1, 6)",
    "shuffle": f"(SELECT /*+ REPARTITION(6) */ * FROM range(0, {ROWS}, 1, 6))",
}
CALLS = {
    "rows": "sum(id) OVER (ORDER BY h, id ROWS 99 PRECEDING)",
    "running": "max(id) OVER (ORDER BY h, id ROWS UNBOUNDED PRECEDING)",
    "range": "sum(id) OVER (ORDER BY h RANGE 9 PRECEDING)",
    "ranks": "dense_rank() OVER (ORDER BY h)",
    "places": "row_number() OVER (ORDER BY h, id)",
}
WINDOWS = {
    f"{name} {kind}": f"SELECT id, {call} AS s FROM (SELECT id, hash(id) % 10000 AS h FROM {source})"
    for name, source in SOURCES.items()
    for kind, call in CALLS.items()
}
# A task that runs again may add up other last digits: one task reads them all.
WINDOWS["by sums of fractions"] = f"""SELECT id, row_number() OVER (ORDER BY x, id) AS s
    FROM (SELECT id % 9999 AS id, sum(1D / (1 + id)) AS x FROM {SOURCES["range"]} GROUP BY 1)"""


def asked(spark: SparkSession, window: str, shared: bool) -> DataFrame:
    spark.conf.set("spark.slidewise.parallel.enabled", str(shared).lower())
    return spark.sql(f"SELECT count(*), count(DISTINCT id), sum(hash(id, s)), min(s), max(s) FROM ({window})")


def tasks(frame: DataFrame) -> int:
    def below(node: Any) -> int:
        if node.nodeName() == "SlidingWindow":
            return int(node.metrics().apply("tasks").value())
        return max((below(node.children().apply(i)) for i in range(node.children().size())), default=0)

    return below(frame._jdf.queryExecution().executedPlan())


def executors(driver: int) -> list[int]:
    """The processes of a local cluster, which are the driver's children."""

    def is_executor(process: Path) -> bool:
        try:
            parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
            return parent == driver and b"CoarseGrainedExecutorBackend" in (process / "cmdline").read_bytes()
        except OSError:
            return False

    return [int(process.name) for process in Path("/proc").glob("[0-9]*") if is_executor(process)]


class Killer(threading.Thread):
    """Kills an executor when the query's `stage`th stage has ended a task."""

    def __init__(self, spark: SparkSession, stage: int) -> None:
        super().__init__(daemon=True)
        self.status = spark.sparkContext.statusTracker()
        self.driver = int(spark._jvm.java.lang.ProcessHandle.current().pid())
        self.stage = stage
        self.before = set(self.status.getActiveStageIds())
        self.killed = self.over = False

    def run(self) -> None:
        seen: list[int] = []
        while not self.over and not self.killed:
            for stage in sorted(self.status.getActiveStageIds()):
                if stage not in self.before and stage not in seen:
                    seen.append(stage)
            for stage in seen[self.stage - 1 : self.stage]:
                info = self.status.getStageInfo(stage)
                if info and info.numCompletedTasks:
                    self.killed = True
                    os.kill(executors(self.driver)[0], signal.SIGKILL)
            time.sleep(0.002)


def report(spark: SparkSession, stage: int | None) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    spark.conf.set("spark.slidewise.parallel.minRows", "1000")
    for name, window in WINDOWS.items():
        alone = asked(spark, window, shared=False).collect()
        frame = asked(spark, window, shared=True)
        killer = Killer(spark, stage) if stage else None
        if killer:
            killer.start()
        same = frame.collect() == alone
        if killer:
            killer.over = True
            killer.join()
        print(
            f"{name}: {same}, {tasks(frame)} tasks{', killed' if killer and killer.killed else ''}",
            flush=True,
        )


if __name__ == "__main__":
    report(SparkSession.builder.getOrCreate(), int(sys.argv[1]) if len(sys.argv) > 1 else None)
