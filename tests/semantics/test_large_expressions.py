"""An expression of many branches in a frame is compiled no more often than in Spark's operator."""

from __future__ import annotations

import itertools

import pytest
from plans import plan
from pyspark.sql import SparkSession
from session import settings

# Equal code is compiled once in a session.
SALTS = itertools.count(7_000)


def _compiled(spark: SparkSession, call: str, frame: str, enabled: str) -> int:
    metrics = spark._jvm.org.apache.spark.metrics.source.CodegenMetrics
    salt = next(SALTS)
    branches = " ".join(f"WHEN id % 1000 = {i} THEN id * {i + salt}" for i in range(60))
    sql = f"SELECT {call.format(f'CASE {branches} ELSE {salt} END')} OVER (PARTITION BY id % 3 ORDER BY id {frame})"
    before = int(metrics.METRIC_COMPILATION_TIME().getCount())
    with settings(spark, {"spark.slidewise.enabled": enabled}):
        rows = spark.sql(f"{sql} FROM range(0, 60, 1, 1)")
        rows.collect()
        assert ("SlidingWindow" in plan(rows)) == (enabled == "true")
    return int(metrics.METRIC_COMPILATION_TIME().getCount()) - before


@pytest.mark.parametrize("call", ["sum({})", "max_by(id, {})"])
@pytest.mark.parametrize("frame", ["ROWS 3 PRECEDING", "RANGE 3 PRECEDING", ""])
def test_many_branches(spark: SparkSession, call: str, frame: str) -> None:
    # The first run of each also compiles what does not depend on the expression.
    for enabled in ("true", "false"):
        _compiled(spark, call, frame, enabled)
    on, off = (_compiled(spark, call, frame, enabled) for enabled in ("true", "false"))
    assert 0 < on <= off
