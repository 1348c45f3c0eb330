"""A query that is wrong says why, also beside expressions that Spark alone refuses for another reason."""

from __future__ import annotations

import random

import pytest
from pyspark.sql import SparkSession

from semantics.outcomes import outcome

# Each with a call that Spark has: the errors of a query with one are those of a query with the other.
REWRITTEN = {
    "count(DISTINCT id)": "count(id)",
    "sum(DISTINCT id)": "sum(id)",
    "max(DISTINCT id)": "max(id)",
    "median(id)": "max(id)",
    "percentile_cont(0.5) WITHIN GROUP (ORDER BY id)": "max(id)",
}

WRONG = [
    "sum(nosuch) OVER w",
    "nosuch",
    "nosuch(id) OVER w",
    "sum(id) OVER (ORDER BY nosuch)",
    "sum(id) OVER nosuch",
    "sum(array(id)) OVER w",
    "rank() OVER ()",
    "lag(id, id) OVER w",
    "sum(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING)",
    "sum(id) OVER (ORDER BY ts RANGE BETWEEN INTERVAL 1 MONTH PRECEDING AND INTERVAL 1 DAY FOLLOWING)",
    "sum(id) OVER (ORDER BY id, ts RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "sum(id) OVER (ORDER BY s RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "sum(id) OVER (ORDER BY id ROWS BETWEEN 1.5 PRECEDING AND CURRENT ROW)",
    "sum(sum(id)) OVER w",
    "id + map('a', 1)",
    "CASE WHEN id THEN 1 END",
    "(SELECT nosuch FROM range(3))",
    "count(id) OVER w IN (SELECT nosuch FROM range(3))",
]
ROWS = "(SELECT id, timestamp_seconds(id) AS ts, string(id) AS s FROM range(5))"


@pytest.mark.parametrize("wrong", WRONG)
def test_the_error_of_a_query_is_what_is_wrong_with_it(spark: SparkSession, wrong: str) -> None:
    rng = random.Random(wrong)
    for call in rng.sample(list(REWRITTEN), 2):
        for columns in ([f"{call} OVER w", wrong], [wrong, f"{call} OVER w"]):
            sql = f"SELECT {', '.join(columns)} FROM {ROWS} WINDOW w AS (ORDER BY id ROWS 2 PRECEDING)"
            on = outcome(spark, sql)
            due = outcome(spark, sql.replace(call, REWRITTEN[call]), slidewise_enabled="false")
            assert isinstance(due, tuple), f"Spark runs it: {sql}"
            assert on[0] == due[0], sql


@pytest.mark.parametrize(
    "call", ["median({})", "sum(DISTINCT {})", "avg(DISTINCT {})", "percentile_cont(0.5) WITHIN GROUP (ORDER BY {})"]
)
@pytest.mark.parametrize("value", ["'a'", "s", "array(id)", "ts", "date(ts)", "id > 1", "binary(s)"])
def test_types_are_refused_over_frames_as_in_groups(spark: SparkSession, call: str, value: str) -> None:
    if call.startswith("percentile") and value == "'a'":
        pytest.skip("a constant is no sort order")
    asked = call.format(value)
    grouped = outcome(spark, f"SELECT {asked} FROM {ROWS}")
    framed = outcome(spark, f"SELECT {asked} OVER (ORDER BY id ROWS 2 PRECEDING) FROM {ROWS}")
    assert isinstance(grouped, tuple) == isinstance(framed, tuple), (grouped, framed)
    if isinstance(grouped, tuple):
        assert framed[0] == grouped[0]
