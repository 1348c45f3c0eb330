"""docs/functions-by-category.md names the algorithm of each call."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from sparks import SPARK

import slidewise

PAGE = Path(__file__).parents[2] / "docs/functions-by-category.md"
# One column with calls, then one with words, then one with an algorithm.
ROW = re.compile(r"^\| (?P<calls>[^|]*`[^|]*) \| .* \| `(?P<algorithm>[a-z-]+)` \|$", re.MULTILINE)
CALLS = [
    (call, row["algorithm"])
    for row in ROW.finditer(PAGE.read_text())
    for call in re.findall(r"`([^`]+)`", row["calls"])
]
WITHOUT_FRAME = r"(row_number|rank|dense_rank|percent_rank|cume_dist|ntile|lag|lead)\("


def test_the_page_has_calls():
    assert len(CALLS) > 60


@pytest.fixture(scope="module")
def sample(spark: SparkSession) -> None:
    spark.sql("""
        SELECT id % 3 AS k, timestamp_seconds(id) AS t, id AS n, CAST(id AS DOUBLE) AS x, CAST(id % 7 AS DOUBLE) AS y,
               concat('s', id % 5) AS s, id % 2 = 0 AS b, CAST(id % 2 AS INT) AS i
        FROM range(20)""").createOrReplaceTempView("sample")


@pytest.mark.skipif(SPARK < (4, 2), reason="the page lists functions of Spark 4.2")
@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize(("call", "algorithm"), CALLS)
def test_the_page_names_the_algorithm(spark: SparkSession, call: str, algorithm: str) -> None:
    frame = "" if re.match(WITHOUT_FRAME, call) else "ROWS 999 PRECEDING"
    query = f"SELECT {call} OVER (PARTITION BY k ORDER BY t {frame}) FROM sample"
    (row,) = slidewise.explain(spark.sql(query)).collect()
    assert (row.slidewise, row.algorithm) == (True, algorithm)
