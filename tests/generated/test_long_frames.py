"""Frames of a thousand rows and more over thousands: blocks, chunks and stacks turn over many times."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from generated import in_spark
from generated.answer import Rows, difference
from generated.call import Compare
from generated.query import HAS_FILTERS, Case, Query
from generated.table import random_table

FRAMES = [
    "ORDER BY id ROWS BETWEEN 999 PRECEDING AND CURRENT ROW",
    pytest.param("PARTITION BY p ORDER BY id ROWS BETWEEN 2047 PRECEDING AND 1 FOLLOWING", marks=pytest.mark.long),
    "PARTITION BY p ORDER BY id ROWS BETWEEN 700 FOLLOWING AND 1500 FOLLOWING",
    pytest.param("ORDER BY id RANGE BETWEEN 1500 PRECEDING AND 300 PRECEDING", marks=pytest.mark.long),
    "ORDER BY bigint_0 DESC NULLS LAST RANGE BETWEEN 20 PRECEDING AND 40 FOLLOWING",
    "ORDER BY bigint_0, id",
    pytest.param("PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING", marks=pytest.mark.long),
]
CALLS = [
    ("sum(bigint_0)", Compare.EXACT, 0.0),
    ("max_by(id, double_0)", Compare.EXACT, 0.0),
    ("min(decimal18_0)", Compare.EXACT, 0.0),
    ("stddev_samp(double_1)", Compare.ROOT, 1e-5),
    ("avg(double_1)", Compare.CLOSE, 1e-9),
    ("last(string_0, true)", Compare.EXACT, 0.0),
    ("approx_count_distinct(int_1)", Compare.EXACT, 0.0),
    *([("count(*) FILTER (WHERE int_0 > 0)", Compare.EXACT, 0.0)] if HAS_FILTERS else []),
]


@pytest.mark.parametrize("rows", [6_000, pytest.param(12_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("frame", FRAMES)
def test_long_frame(spark: SparkSession, tmp_path: Path, seed: int, frame: str, rows: int) -> None:
    rng = random.Random(f"{seed}/{frame}")
    table = random_table(rng, extreme=False, rows=rows)
    cases = [Case(f"{call} OVER ({frame})", None, how, allowed, True) for call, how, allowed in CALLS]
    query = Query(seed, 0, table, "parquet", {"spark.sql.adaptive.enabled": "false"}, cases)
    with in_spark.ready(spark, query, tmp_path):
        off, on = (in_spark.answer(spark, cases, slidewise) for slidewise in (False, True))
    assert isinstance(on, Rows), on
    assert isinstance(off, Rows), off
    assert difference(cases, on, off) is None
    assert "SlidingWindow" in on.plan
    assert not in_spark.left_to_spark(on.plan, cases)
