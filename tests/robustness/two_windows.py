"""Run by test_two_windows in its own process: folder, rows, heap. Prints the answer, and whether Slidewise gave it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from plans import plan
from pyspark.sql import SparkSession
from session import with_slidewise

folder, rows, heap = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
spark = with_slidewise(
    SparkSession.builder.master("local[2]")
    .config("spark.driver.memory", heap)
    .config("spark.memory.offHeap.enabled", "true")
    .config("spark.memory.offHeap.size", "3g")
    .config("spark.ui.enabled", "false")
    .config("spark.local.dir", str(folder / "local"))
    .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
    .config("spark.unsafe.exceptionOnMemoryLeak", "true")
    .config("spark.sql.adaptive.enabled", "false")
).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")

source = f"(SELECT id, id * 48271 % 1000003 AS ts FROM range(0, {rows}, 1, 4))"
answer = spark.sql(
    f"""SELECT count(*), sum(a), sum(b) FROM (
          SELECT sum(ts % 1000) OVER w AS a, max(ts * 7919 % 1003) OVER w AS b FROM {source}
          WINDOW w AS (PARTITION BY id % 2 ORDER BY ts DESC ROWS 9 PRECEDING))"""
)
print(json.dumps({"answer": tuple(answer.collect()[0]), "taken": "SlidingWindow" in plan(answer)}))
