"""Run by test_little_memory in a process of its own: folder, rows, window, aggregate calls and settings.

Prints a report as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from plans import metric
from pyspark.sql import SparkSession
from session import with_slidewise

from robustness.spills import files_left

folder, rows, window, more = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
settings = dict(word.split("=", 1) for word in more if word.startswith("spark."))
calls = [word for word in more if not word.startswith("spark.")]
spark = with_slidewise(
    SparkSession.builder.master("local[1]")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.local.dir", str(folder / "local"))
    .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
    .config("spark.unsafe.exceptionOnMemoryLeak", "true")
    .config("spark.sql.adaptive.enabled", "false")
    .config(map=settings)
).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")

over = f"OVER ({window} ROWS BETWEEN 999999 PRECEDING AND CURRENT ROW)"
x = "id * 48271 % 1000003"
source = f"(SELECT id, {x} AS x, concat('row ', {x}) AS s FROM range(0, {rows}, 1, 1))"
moving = ", ".join(f"{call} {over} AS c{i}" for i, call in enumerate(calls))
answer = spark.sql(
    f"""SELECT count(*), sum(n), {", ".join(f"count(c{i})" for i in range(len(calls)))}
        FROM (SELECT id, count(*) {over} AS n, {moving} FROM {source})"""
)
(row,) = answer.collect()
report = {"rows": row[0], "counted": row[1], "spilled": metric(answer, "spillSize"), "left": files_left(spark)}
print(json.dumps(report))
