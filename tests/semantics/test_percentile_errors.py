"""Wrong arguments of percentiles over frames: the errors are those of the same calls in GROUP BY."""

from __future__ import annotations

import pytest
from cases import crossed
from plans import plan
from pyspark.sql import SparkSession
from session import settings
from sparks import skip_if_lacking

from semantics.conftest import Ask, error_of, rows

ANSI = ["true", "false"]
FRAMES = [
    "ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    "RANGE BETWEEN 3 PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
]
# The frequency is negative at t = 0, and at t = 2, where there is no value.
SOURCE = "FROM VALUES (0, 8, -1), (1, 3, 2), (2, NULL, -7), (3, 5, 0), (4, 5, 2), (5, 1, 3) AS rows(t, x, f)"


@pytest.mark.parametrize(("frame", "ansi"), crossed(FRAMES, ANSI))
@pytest.mark.parametrize("percentage", ["0.5", "array(0.1, 0.9)"])
def test_a_negative_frequency(spark: SparkSession, frame: str, ansi: str, percentage: str) -> None:
    call = f"percentile(x, {percentage}, f)"
    sql = f"SELECT {call} OVER (ORDER BY t {frame}) {SOURCE}"
    with settings(spark, {"spark.sql.ansi.enabled": ansi}):
        of_group = error_of(spark, f"SELECT {call} {SOURCE}")
        assert of_group
        assert "SlidingWindow" in plan(spark.sql(sql))
        assert error_of(spark, sql) == of_group


@pytest.mark.parametrize("ansi", ANSI)
@pytest.mark.parametrize(
    ("over", "least"),
    [
        # No frame holds the first row.
        ("OVER (ORDER BY t ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING)", [3, 5, 1, 1, 1, None]),
        ("FILTER (WHERE t > 0) OVER (ORDER BY t ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)", [3, 3, 3, 3, 1, 1]),
    ],
)
def test_a_negative_frequency_that_does_not_count(ask: Ask, over: str, least: list[int | None], ansi: str) -> None:
    answer = ask(f"SELECT percentile(x, 0, f) {over} {SOURCE} ORDER BY t", ansi_enabled=ansi)
    assert [row[0] for row in answer] == least


CALLS = [
    "percentile(x, {})",
    "percentile(x, {}, 2)",
    "percentile(DISTINCT x, {})",
    "percentile_cont({}) WITHIN GROUP (ORDER BY x)",
    "percentile_disc({}) WITHIN GROUP (ORDER BY x DESC)",
    "percentile_approx(x, {})",
]


@pytest.mark.parametrize(
    ("percentage", "condition"),
    [
        ("1.5", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("-0.01D", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("array(0.5, 1.01)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("CAST(NULL AS DOUBLE)", "DATATYPE_MISMATCH.UNEXPECTED_NULL"),
        ("x / 9", "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT"),
    ],
)
@pytest.mark.parametrize(("call", "ansi"), crossed(CALLS, ANSI))
def test_a_wrong_fraction(spark: SparkSession, call: str, ansi: str, percentage: str, condition: str) -> None:
    call = call.format(percentage)
    skip_if_lacking(call)
    with settings(spark, {"spark.sql.ansi.enabled": ansi}):
        assert error_of(spark, f"SELECT {call} {SOURCE}") == condition
        for frame in FRAMES:
            assert error_of(spark, f"SELECT {call} OVER (ORDER BY t {frame}) {SOURCE}") == condition


@pytest.mark.parametrize("ansi", ANSI)
@pytest.mark.parametrize("call", CALLS)
def test_the_least_and_the_greatest_fraction(spark: SparkSession, call: str, ansi: str) -> None:
    skip_if_lacking(call)
    over = "OVER (ORDER BY t ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)"
    with settings(spark, {"spark.sql.ansi.enabled": ansi}):
        frame = spark.sql(f"SELECT {call.format(0)} {over}, {call.format('1.0')} {over} {SOURCE} ORDER BY t")
        found = rows(frame)
        assert "SlidingWindow" in plan(frame)
    ends = [(3, 8), (3, 8), (3, 8), (3, 5), (1, 5), (1, 5)]
    assert found == ([(most, least) for least, most in ends] if "DESC" in call else ends)
