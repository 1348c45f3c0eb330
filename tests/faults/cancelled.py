#!/usr/bin/env python3
"""Cancels each query at many moments, and prints how long its tasks go on afterwards: one table.

The moments are spread over the time that the query takes, with memory so small that rows spill. Tasks are not
interrupted: they stop where Slidewise and Spark ask whether they are cancelled. Exits with 1 if a task went on for more
than a second.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

from plans import metric, plan
from pyspark import InheritableThread
from pyspark.sql import SparkSession
from session import local_session, running_tasks
from shared.markdown import between

from faults.queries import SLIDEWISE, summed, windows

PAGE = Path(__file__).resolve().parents[2] / "docs/faults.md"
MOMENTS = 20
ALLOWED_SECONDS = 1.0
GROUP = "asked"
LITTLE_MEMORY = {
    # 3 % of what Spark leaves of 2 GB: about 25 MB for each task.
    "spark.memory.fraction": "0.03",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class Asked(InheritableThread):
    """Runs a query in a job group, and keeps the error that ends it."""

    def __init__(self, spark: SparkSession, query: str) -> None:
        super().__init__(target=self._ask, session=spark)
        self.spark, self.query = spark, query
        self.error: Exception | None = None

    def _ask(self) -> None:
        self.spark.sparkContext.setJobGroup(GROUP, "a query that may be cancelled", interruptOnCancel=False)
        try:
            self.spark.sql(self.query).collect()
        except Exception as error:
            self.error = error


def seconds_of(spark: SparkSession, query: str) -> float:
    begin = time.monotonic()
    asked = Asked(spark, query)
    asked.start()
    asked.join()
    assert asked.error is None, asked.error
    return time.monotonic() - begin


def seconds_to_end(spark: SparkSession, query: str, moment: float) -> float | None:
    """How long tasks run once the query was cancelled `moment` seconds after its begin; none if it had ended."""
    asked = Asked(spark, query)
    asked.start()
    time.sleep(moment)
    if not asked.is_alive():
        return None
    begin = time.monotonic()
    spark.sparkContext.cancelJobGroup(GROUP)
    asked.join()
    while running_tasks(spark):
        time.sleep(0.002)
    took = time.monotonic() - begin
    assert asked.error is None or "cancelled" in str(asked.error), asked.error
    return took if asked.error else None


def measured(spark: SparkSession, name: str, query: str) -> dict[str, Any]:
    frame = spark.sql(query)
    frame.collect()
    operators = [operator for operator in SLIDEWISE if operator in plan(frame)]
    assert operators, plan(frame)
    spilled = sum(metric(frame, "spillSize", operator) for operator in operators)
    whole = seconds_of(spark, query)
    ends = [seconds_to_end(spark, query, whole * (i + 0.5) / MOMENTS) for i in range(MOMENTS)]
    found = [seconds for seconds in ends if seconds is not None]
    return {"what": name, "seconds": whole, "spilled": spilled, "ends": found}


def table(found: list[dict[str, Any]]) -> str:
    lines = [
        "| Window | Seconds of the whole query | Spilled | Cancelled | Tasks end after, median | Longest |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for entry in found:
        middle, longest = statistics.median(entry["ends"]), max(entry["ends"])
        spilled, times = f"{entry['spilled'] / 1e6:.0f} MB", f"{len(entry['ends'])} times"
        lines.append(
            f"| {entry['what']} | {entry['seconds']:.1f} | {spilled} | {times} | {middle:.2f} s | {longest:.2f} s |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--only", default="", help="cancel the queries whose names contain this text")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = local_session(Path(folder), LITTLE_MEMORY)
        found = []
        for name, query in windows(arguments.rows).items():
            if arguments.only in name:
                found.append(measured(spark, name, summed(query)))
                print(json.dumps(found[-1]), flush=True)
        spark.stop()
    print(table(found))
    if not arguments.only:
        PAGE.write_text(between("cancelled", table(found), PAGE.read_text()))
    return 0 if max(max(entry["ends"]) for entry in found) <= ALLOWED_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
