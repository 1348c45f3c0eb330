"""Slidewise switched on in a session that runs already."""

from __future__ import annotations

from pathlib import Path

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
other = spark.newSession()
print("another session:", slidewise.install(other), report(other))
"""


def test_install(tmp_path: Path) -> None:
    program = tmp_path / "live.py"
    program.write_text(PROGRAM)
    printed = run(tmp_path, "spark-submit", "--master", "local[2]", str(program))
    assert f"before: {REPORT.replace('SlidingWindow 2', 'SlidingWindow 0')}" in printed
    assert "installed: True False" in printed
    assert f"after: {REPORT}" in printed
    assert f"another session: True {REPORT}" in printed


def test_install_in_executors_of_their_own(tmp_path: Path) -> None:
    program = tmp_path / "live.py"
    program.write_text(PROGRAM)
    small = ("--conf", "spark.executor.memory=512m")
    printed = run(tmp_path, "spark-submit", "--master", "local-cluster[2,1,1024]", *small, str(program))
    assert f"after: {REPORT}" in printed
