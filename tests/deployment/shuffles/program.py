"""Runs each query with Slidewise on and off, in a session whose shuffle manager is that of a service.

Prints a line of JSON for each query: whether the answers are the same, which operators the plan has, the tasks that
share a window, and what the exchange of Slidewise has read.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from pyspark.sql import DataFrame, SparkSession

from deployment.shuffles.queries import QUERIES, TABLES, Query

_METRICS = {
    "tasks": "tasks",
    "written": "shuffleBytesWritten",
    "read": "remoteBytesRead",
    "local": "localBytesRead",
    "blocks": "remoteBlocksFetched",
    "local blocks": "localBlocksFetched",
}


def totals(frame: DataFrame) -> dict[str, int]:
    """The metrics of the operators of Slidewise."""
    found = dict.fromkeys(_METRICS, 0)

    def add(node: object) -> None:
        name, metrics = node.nodeName(), node.metrics()
        for key, metric in _METRICS.items():
            if name in ("BlockExchange", "RunsExchange", "SlidingWindow", "WindowJoin") and metrics.contains(metric):
                found[key] += max(0, int(metrics.apply(metric).value()))
        below = [node.plan()] if hasattr(node, "plan") and name.endswith("QueryStage") else []
        children = node.children()
        for child in (*below, *(children.apply(i) for i in range(children.size()))):
            add(child)

    plan = frame._jdf.queryExecution().executedPlan()
    add(plan.executedPlan() if plan.nodeName() == "AdaptiveSparkPlan" else plan)
    return found


def report(spark: SparkSession, query: Query) -> dict[str, object]:
    for key, value in query.settings.items():
        spark.conf.set(key, value)
    answers = []
    for slidewise in ("true", "false"):
        spark.conf.set("spark.slidewise.enabled", slidewise)
        frame = spark.sql(query.sql)
        answers.append(sorted(map(str, frame.collect())))
        if slidewise == "true":
            plan, metrics = str(frame._jdf.queryExecution().executedPlan()), totals(frame)
    for key in query.settings:
        spark.conf.unset(key)
    final = plan.partition("Initial Plan")[0]
    missing = [operator for operator in query.operators if not re.search(rf"\b{operator}\b", final)]
    return {"same": answers[0] == answers[1], "rows": len(answers[0]), "missing": missing} | metrics


if __name__ == "__main__":
    spark = SparkSession.builder.getOrCreate()
    # Several tasks share RANGE frames over whole numbers only if a bound cannot wrap around.
    spark.conf.set("spark.sql.ansi.enabled", "true")
    for name, sql in TABLES.items():
        spark.sql(sql).createOrReplaceTempView(name)
    asked = sys.argv[1:] or list(QUERIES)
    for name in asked:
        print(json.dumps({"query": name} | report(spark, QUERIES[name])), flush=True)
    spark.stop()
