"""Runs queries with Slidewise on and off, in a session whose shuffle manager is that of a service.

Arguments: the stage of each query in which an executor is killed, or 0; and the names of the queries, or none for all.
Prints a line of JSON for each query: whether the answers are the same, which operators the plan lacks, the number of
tasks that share a window, and what the exchanges of Slidewise have read.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from pyspark.sql import DataFrame, SparkSession

from deployment.parallel_program import Killer
from deployment.shuffles.queries import QUERIES, TABLES, Query

METRICS = {"tasks": "tasks", "read from the service": "remoteBytesRead", "read from executors": "localBytesRead"}


def totals(frame: DataFrame) -> dict[str, int]:
    """The metrics of Slidewise's exchanges and of the windows above them."""
    found = dict.fromkeys(METRICS, 0)

    def add(node: Any) -> None:
        if node.nodeName() in ("BlockExchange", "RunsExchange", "SlidingWindow", "WindowJoin"):
            for key, name in METRICS.items():
                if node.metrics().contains(name):
                    found[key] += max(0, int(node.metrics().apply(name).value()))
        if node.nodeName() == "AdaptiveSparkPlan":
            add(node.executedPlan())
        elif node.nodeName().endswith("QueryStage"):
            add(node.plan())
        for i in range(node.children().size()):
            add(node.children().apply(i))

    add(frame._jdf.queryExecution().executedPlan())
    return found


@contextmanager
def killing(spark: SparkSession, stage: int) -> Iterator[None]:
    """Kills an executor in the query's `stage`th stage, unless that is 0; the query fails if none was killed."""
    if not stage:
        yield
        return
    killer = Killer(spark, stage)
    killer.start()
    yield
    killer.over = True
    killer.join()
    assert killer.killed


def report(spark: SparkSession, query: Query, stage: int) -> dict[str, object]:
    for key, value in query.settings.items():
        spark.conf.set(key, value)
    spark.conf.set("spark.slidewise.enabled", "false")
    expected = sorted(map(str, spark.sql(query.sql).collect()))
    spark.conf.set("spark.slidewise.enabled", "true")
    frame = spark.sql(query.sql)
    with killing(spark, stage):
        answer = sorted(map(str, frame.collect()))
    for key in query.settings:
        spark.conf.unset(key)
    plan = str(frame._jdf.queryExecution().executedPlan()).partition("Initial Plan")[0]
    missing = [operator for operator in query.operators if not re.search(rf"\b{operator}\b", plan)]
    return {"same": answer == expected, "rows": len(answer), "missing": missing} | totals(frame)


def main(stage: int, names: list[str]) -> None:
    spark = SparkSession.builder.getOrCreate()
    # Several tasks share RANGE frames over whole numbers only if a bound cannot wrap around.
    spark.conf.set("spark.sql.ansi.enabled", "true")
    for name, sql in TABLES.items():
        spark.sql(sql).createOrReplaceTempView(name)
    for name in names or QUERIES:
        print(json.dumps({"query": name} | report(spark, QUERIES[name], stage)), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
