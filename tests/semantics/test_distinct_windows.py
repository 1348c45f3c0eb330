"""DISTINCT aggregates and exact percentiles over any frame, which Spark alone refuses."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest
from plans import plan
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sf
from session import settings
from sparks import SPARK_ERRORS, condition_of, skip_if_lacking

import slidewise
from semantics.conftest import rows

OFF = {"spark.slidewise.enabled": "false"}
ROWS = 40
# Duplicates, nulls, and times with gaps.
KEYS = [i % 3 for i in range(ROWS)]
TIMES = [i + i // 5 for i in range(ROWS)]
VALUES: list[int | None] = [None if i % 7 == 2 else (i * i) % 5 for i in range(ROWS)]
WORDS = ["ab"[i % 2] if i % 4 < 2 else None for i in range(ROWS)]
TABLE = ", ".join(
    f"({k}, {t}, {'NULL' if v is None else v}, {'NULL' if w is None else repr(w)})"
    for k, t, v, w in zip(KEYS, TIMES, VALUES, WORDS, strict=True)
)
SOURCE = f"VALUES {TABLE} AS rows(k, t, v, w)"

Frame = tuple[str, Callable[[int], list[int]]]


def _of_rows(lower: float, upper: float) -> Callable[[int], list[int]]:
    def frame(at: int) -> list[int]:
        partition = [i for i in range(ROWS) if KEYS[i] == KEYS[at]]
        place = partition.index(at)
        return [i for j, i in enumerate(partition) if lower <= j - place <= upper]

    return frame


def _of_range(lower: float, upper: float) -> Callable[[int], list[int]]:
    def frame(at: int) -> list[int]:
        return [i for i in range(ROWS) if KEYS[i] == KEYS[at] and lower <= TIMES[i] - TIMES[at] <= upper]

    return frame


FRAMES: list[Frame] = [
    ("ROWS BETWEEN 4 PRECEDING AND 1 FOLLOWING", _of_rows(-4, 1)),
    ("ROWS BETWEEN 90 PRECEDING AND 6 PRECEDING", _of_rows(-90, -6)),
    ("ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", _of_rows(-math.inf, 0)),
    ("ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", _of_rows(0, math.inf)),
    ("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", _of_rows(-math.inf, math.inf)),
    ("RANGE BETWEEN 9 PRECEDING AND CURRENT ROW", _of_range(-9, 0)),
    ("RANGE BETWEEN UNBOUNDED PRECEDING AND 3 FOLLOWING", _of_range(-math.inf, 3)),
    ("RANGE BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING", _of_range(2, math.inf)),
]


def _interpolated(values: Sequence[int], at: float) -> float:
    place = at * (len(values) - 1)
    low = math.floor(place)
    return values[low] + (place - low) * (values[math.ceil(place)] - values[low])


def _distinct(frame: Sequence[int]) -> list[int]:
    return sorted({v for v in (VALUES[i] for i in frame) if v is not None})


def _present(frame: Sequence[int]) -> list[int]:
    return sorted(v for v in (VALUES[i] for i in frame) if v is not None)


CALLS: dict[str, Callable[[Sequence[int]], Any]] = {
    "count(DISTINCT v)": lambda f: len(_distinct(f)),
    "count(DISTINCT v, w)": lambda f: len({(VALUES[i], WORDS[i]) for i in f if VALUES[i] is not None and WORDS[i]}),
    "sum(DISTINCT v)": lambda f: sum(_distinct(f)) if _distinct(f) else None,
    "avg(DISTINCT v)": lambda f: sum(_distinct(f)) / len(_distinct(f)) if _distinct(f) else None,
    "max(DISTINCT v)": lambda f: max(_distinct(f), default=None),
    "count_if(DISTINCT v > 1)": lambda f: int(any(v > 1 for v in _distinct(f))),
    "median(DISTINCT v)": lambda f: statistics.median(_distinct(f)) if _distinct(f) else None,
    "median(v)": lambda f: statistics.median(_present(f)) if _present(f) else None,
    "percentile_cont(0.25) WITHIN GROUP (ORDER BY v)": lambda f: (
        _interpolated(_present(f), 0.25) if _present(f) else None
    ),
    "percentile_cont(0.25) WITHIN GROUP (ORDER BY v DESC)": lambda f: (
        _interpolated(_present(f)[::-1], 0.25) if _present(f) else None
    ),
    "percentile_disc(0.25) WITHIN GROUP (ORDER BY v)": lambda f: (
        _present(f)[max(0, math.ceil(0.25 * len(_present(f))) - 1)] if _present(f) else None
    ),
}


def evaluated(spark: SparkSession, ask: Callable[[], DataFrame]) -> list[tuple[Any, ...]]:
    """The rows of a query that Slidewise runs, which are those that Spark's operator returns for its plan."""
    with_slidewise, by_spark = ask(), ask()
    found = rows(with_slidewise)
    assert "SlidingWindow" in plan(with_slidewise)
    with settings(spark, OFF):
        assert "SlidingWindow" not in plan(by_spark)
        assert repr(rows(by_spark)) == repr(found)
    return found


def refused(query: Callable[[], DataFrame]) -> str:
    with pytest.raises(PySparkException) as error:
        query().collect()
    return condition_of(error.value) or ""


@pytest.mark.parametrize("frame", FRAMES, ids=[sql for sql, _ in FRAMES])
def test_an_oracle(spark: SparkSession, frame: Frame) -> None:
    over = f"OVER (PARTITION BY k ORDER BY t {frame[0]})"
    sql = f"SELECT {', '.join(f'{call} {over}' for call in CALLS)} FROM {SOURCE} ORDER BY t"
    found = evaluated(spark, lambda: spark.sql(sql))
    for i, (call, oracle) in enumerate(CALLS.items()):
        expected = [oracle(frame[1](at)) for at in range(ROWS)]
        assert [row[i] for row in found] == pytest.approx(expected), call
    with settings(spark, OFF):
        assert refused(lambda: spark.sql(sql)) == "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED"


def test_filter(spark: SparkSession) -> None:
    over = "FILTER (WHERE w = 'a') OVER (PARTITION BY k ORDER BY t ROWS 5 PRECEDING)"
    sql = f"SELECT count(DISTINCT v) {over}, median(v) {over} FROM {SOURCE} ORDER BY t"
    skip_if_lacking(sql)
    frames = [[i for i in _of_rows(-5, 0)(at) if WORDS[i] == "a"] for at in range(ROWS)]
    expected = [(len(_distinct(f)), statistics.median(_present(f)) if _present(f) else None) for f in frames]
    assert evaluated(spark, lambda: spark.sql(sql)) == expected


def test_columns(spark: SparkSession) -> None:
    moving = Window.partitionBy("k").orderBy("t").rowsBetween(-3, 0)

    def query() -> DataFrame:
        frame = spark.sql(f"SELECT * FROM {SOURCE}")
        calls = [sf.count_distinct("v"), sf.count_distinct("v", "w"), sf.sum_distinct(sf.col("v")), sf.median("v")]
        return frame.orderBy("t").select(
            *(call.over(moving) for call in calls), sf.expr("count(DISTINCT v)").over(moving)
        )

    frames = [_of_rows(-3, 0)(at) for at in range(ROWS)]
    oracles = [CALLS[call] for call in ("count(DISTINCT v)", "count(DISTINCT v, w)", "sum(DISTINCT v)", "median(v)")]
    expected = [(*(oracle(f) for oracle in oracles), len(_distinct(f))) for f in frames]
    assert sorted(evaluated(spark, query), key=repr) == sorted(expected, key=repr)
    with settings(spark, OFF):
        assert refused(query) == "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED"


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ("double('NaN'), double('NaN'), -0.0D, 0.0D, NULL", [1, 1, 2, 2, 2]),
        ("float('NaN'), 0.0F, -0.0F, float('NaN'), 1.0F", [1, 2, 2, 2, 3]),
        ("array(-0.0D, NULL), array(0.0D, NULL), array(), array(NULL), NULL", [1, 1, 2, 3, 3]),
        ("struct(-0.0D, 1), struct(0.0D, 1), struct(NULL, 1), struct(0.0D, NULL), NULL", [1, 1, 2, 3, 3]),
        ("X'00', X'', X'00', X'0000', NULL", [1, 2, 2, 3, 3]),
        ("1.50BD, 1.5BD, 99999999999999999999999999999.50BD, 1.51BD, NULL", [1, 1, 2, 3, 3]),
        ("'a' COLLATE UTF8_LCASE, 'A', 'b', 'B', NULL", [1, 1, 2, 2, 2]),
        ("struct('a' COLLATE UNICODE_CI), struct('A' COLLATE UNICODE_CI), NULL, NULL, NULL", [1, 1, 1, 1, 1]),
        ("'a', 'A', 'b', 'B', NULL", [1, 2, 3, 4, 4]),
        ("NULL, NULL, NULL, NULL, NULL", [0, 0, 0, 0, 0]),
        ("date'2020-01-01', date'2020-01-02', date'2020-01-01', NULL, NULL", [1, 2, 2, 2, 2]),
    ],
)
def test_equality(spark: SparkSession, values: str, counts: list[int]) -> None:
    source = f"(SELECT posexplode(array({values})) AS (i, x))"
    sql = f"SELECT count(DISTINCT x) OVER (ORDER BY i ROWS 7 PRECEDING) FROM {source} ORDER BY i"
    skip_if_lacking(sql)
    assert [n for (n,) in evaluated(spark, lambda: spark.sql(sql))] == counts


@pytest.mark.parametrize("function", ["sum", "try_sum", "avg"])
@pytest.mark.parametrize("ansi", ["true", "false"])
def test_overflow(spark: SparkSession, function: str, ansi: str) -> None:
    source = "VALUES (1, 9223372036854775807), (2, 9223372036854775807), (3, 5), (4, 0) AS rows(i, x)"
    sql = f"SELECT {function}(DISTINCT x) OVER (ORDER BY i ROWS 1 PRECEDING) FROM {source} ORDER BY i"
    with settings(spark, {"spark.sql.ansi.enabled": ansi}):
        if function == "sum" and ansi == "true":
            # Spark 3.5 raises the Java error of the task as it is.
            with pytest.raises(SPARK_ERRORS, match=r"ARITHMETIC_OVERFLOW|long overflow"):
                spark.sql(sql).collect()
            return
        found = [x for (x,) in evaluated(spark, lambda: spark.sql(sql))]
    most = 2**63 - 1
    third = {"sum": most + 5 - 2**64, "try_sum": None, "avg": (float(most) + 5) / 2}[function]
    assert found == ([float(most)] * 2 + [third, 2.5] if function == "avg" else [most, most, third, 5])


def test_decimals_keep_their_type(spark: SparkSession) -> None:
    source = "VALUES (1, 1.50BD), (2, 1.50BD), (3, 2.25BD) AS rows(i, x)"
    frame = spark.sql(f"SELECT sum(DISTINCT x) OVER (ORDER BY i) AS s FROM {source} ORDER BY i")
    assert [row.s for row in frame.collect()] == [Decimal("1.50"), Decimal("1.50"), Decimal("3.75")]
    assert frame.schema["s"].dataType.simpleString() == "decimal(13,2)"


def test_slidewise_runs_them_and_says_how(spark: SparkSession) -> None:
    frame = spark.sql(f"SELECT count(DISTINCT v) OVER (ORDER BY t ROWS 9 PRECEDING) AS n FROM {SOURCE}")
    (row,) = slidewise.explain(frame).collect()
    assert row.slidewise
    assert "count(DISTINCT v)" in row.sql


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        ("count(DISTINCT parse_json(w))", "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED"),
        ("ewma(DISTINCT v, 0.5)", "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED"),
        (
            "percentile_cont(DISTINCT 0.5) WITHIN GROUP (ORDER BY v)",
            "INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED",
        ),
        ("rank(DISTINCT v)", "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX"),
    ],
)
def test_what_has_no_distinct_is_refused_as_in_spark(spark: SparkSession, call: str, condition: str) -> None:
    if spark.version.startswith("3.5"):
        pytest.skip("other functions and other error classes")
    sql = f"SELECT {call} OVER (ORDER BY t ROWS 2 PRECEDING) FROM {SOURCE}"
    assert refused(lambda: spark.sql(sql)) == condition
    with settings(spark, OFF):
        assert refused(lambda: spark.sql(sql)) == condition
