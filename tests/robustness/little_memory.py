"""Run by test_little_memory in a process of its own: folder and settings.

Answers each question, a line of JSON, with a report: the rows, the window, its length, the calls over it, and where
frames are: `behind` their row, `ahead` of it, or `growing`. `all` in a report is the number of frames whose first call
counts all rows.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from aggregators.classes import Mean, MeanInBatches
from plans import metric
from pyspark.sql import SparkSession
from session import with_slidewise

import slidewise
from robustness.spills import files_left

folder, settings = Path(sys.argv[1]), dict(word.split("=", 1) for word in sys.argv[2:])
spark = with_slidewise(
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.local.dir", str(folder / "local"))
    .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
    .config("spark.unsafe.exceptionOnMemoryLeak", "true")
    .config("spark.sql.adaptive.enabled", "false")
    .config(map=settings)
).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
IN_PYTHON = {"mean_in_python": Mean(), "mean_in_batches": MeanInBatches()}
for name, aggregator in IN_PYTHON.items():
    slidewise.register(spark, name, aggregator)


def report(rows: int, window: str, frame: int, calls: list[str], where: str) -> dict[str, Any]:
    bounds = {
        "behind": f"{frame - 1} PRECEDING AND CURRENT ROW",
        "ahead": f"CURRENT ROW AND {frame - 1} FOLLOWING",
        "growing": "UNBOUNDED PRECEDING AND CURRENT ROW",
    }
    over = f"OVER ({window} ROWS BETWEEN {bounds[where]})"
    x = "id * 48271 % 1000003"
    source = f"(SELECT id, {x} AS x, concat('row ', {x}) AS s FROM range(0, {rows}, 1, 1))"
    moving = ", ".join(f"{call} {over} AS c{i}" for i, call in enumerate(calls))
    answer = spark.sql(
        f"""SELECT count(*), sum(n), count_if(CAST(c0 AS string) = CAST(n AS string)),
                   {", ".join(f"count(c{i})" for i in range(len(calls)))}
            FROM (SELECT id, count(*) {over} AS n, {moving} FROM {source})"""
    )
    (row,) = answer.collect()
    in_python = any(call.split("(")[0] in IN_PYTHON for call in calls)
    operator = "PythonSlidingWindow" if in_python else "SlidingWindow"
    spilled = metric(answer, "spillSize", operator)
    counts = {"rows": row[0], "counted": row[1], "all": row[2], "values": row[3:]}
    return counts | {"spilled": spilled, "left": files_left(spark)}


for line in sys.stdin:
    print(json.dumps(report(**json.loads(line))), flush=True)
