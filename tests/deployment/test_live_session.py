"""Slidewise switched on in a session that runs already."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployment.commands import run
from deployment.expected import REPORT

PROGRAM = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import slidewise
from pyspark.sql import SparkSession
from deployment.program import report
spark = SparkSession.builder.getOrCreate()
print("before:", report(spark))
print("installed:", slidewise.install(spark), slidewise.install(spark))
print("after:", report(spark))
# Tasks share the rows, and return values of Slidewise's own classes to the driver.
spark.conf.set("spark.slidewise.parallel.minRows", 10)
numbers = spark.range(0, 100, 1, 4)
shared = numbers.selectExpr("sum(id) OVER (ORDER BY id) AS total", "max(id) OVER (ORDER BY id ROWS 9 PRECEDING)")
has_runs = "RunsExchange" in shared._jdf.queryExecution().executedPlan().toString()
print("shared:", has_runs, shared.agg({{"total": "max"}}).collect())
other = spark.newSession()
print("another session:", slidewise.install(other), report(other))
"""


IN_EXECUTORS = ("--master", "local-cluster[2,1,1024]", "--conf", "spark.executor.memory=512m")


@pytest.mark.long
@pytest.mark.parametrize(
    "master",
    [("--master", "local[2]"), IN_EXECUTORS],
    ids=["in one process", "in executors of their own"],
)
def test_install(tmp_path: Path, master: tuple[str, ...]) -> None:
    program = tmp_path / "live.py"
    program.write_text(PROGRAM)
    printed = run(tmp_path, "spark-submit", *master, str(program))
    assert f"before: {REPORT.replace('SlidingWindow 1', 'SlidingWindow 0')}" in printed
    assert "installed: True False" in printed
    assert f"after: {REPORT}" in printed
    assert "shared: True [Row(max(total)=4950)]" in printed
    assert f"another session: True {REPORT}" in printed
