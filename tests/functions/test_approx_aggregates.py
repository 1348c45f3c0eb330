"""Counts and sums of the last rows from summaries of them: within the error that was asked for, and no row kept."""

from __future__ import annotations

import pytest
from cases import crossed
from plans import metric
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from session import settings
from sparks import SPARK_ERRORS, condition_of, portable, unsaid

import slidewise

# Bursts and quiet times, in three partitions of different lengths; some null.
TABLE = """(SELECT id AS i, if(id < 5000, id % 2, 2) AS g, id % 11 = 0 AS kept,
    if(pmod(hash(id, 1), 9) = 0, NULL, if(id DIV 700 % 2 = 0, pmod(hash(id, 2), 101), id % 3)) AS x
  FROM range(0, 12000, 1, 3))"""
FRAME = "(PARTITION BY g ORDER BY i ROWS BETWEEN {n} PRECEDING AND CURRENT ROW)"
CALLS = {
    "approx_count_if(x > 50, {e})": ("count_if(x > 50)", 1),
    "approx_sum(x, 100, {e})": ("coalesce(sum(x), 0)", 100),
    "approx_sum(x / 100D, 1.5D, {e})": ("coalesce(sum(x / 100D), 0)", 1.5),
    portable("approx_sum(cast(x AS decimal(9, 2)), 100.00, {e}) FILTER (WHERE kept)"): (
        portable("coalesce(sum(x) FILTER (WHERE kept), 0)"), 100,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("n", "epsilon", "ansi"), crossed([0, 1, 99, 1500], [0.4, 0.001, 0.00001, 0.05], ["true", "false"])
)
def test_never_off_by_more_than_allowed(spark: SparkSession, n: int, epsilon: float, ansi: str) -> None:
    window = FRAME.format(n=n)
    checks, reached = [], []
    for call, (exact, bound) in CALLS.items():
        # FILTER stands between the call and OVER; COALESCE around both.
        over = exact.replace(", 0)", f" OVER {window}, 0)") if "coalesce" in exact else f"{exact} OVER {window}"
        off = f"abs({call.format(e=epsilon)} OVER {window} - {over})"
        checks.append(f"{off} / {epsilon * (n + 1) * bound}")
        reached.append(off)
    with settings(spark, {"spark.sql.ansi.enabled": ansi}):
        frame = spark.sql(f"SELECT {', '.join(f'{c} AS c{k}' for k, c in enumerate(checks))} FROM {TABLE}")
        worst = frame.selectExpr(*[f"max(c{k})" for k in range(len(checks))]).first()
    assert all(part <= 1 + 1e-9 for part in worst), worst
    if epsilon == 0.05 and n == 1500:
        assert worst[0] > 0.5, "summaries answered"


def test_which_frames_a_summary_answers(spark: SparkSession) -> None:
    call = "approx_count_if(x > 50, 0.05)"
    frames = {
        "ROWS 99 PRECEDING": "additive-summaries",
        "ROWS BETWEEN 99 PRECEDING AND 0 FOLLOWING": "additive-summaries",
        "ROWS BETWEEN CURRENT ROW AND CURRENT ROW": "additive-summaries",
        "ROWS BETWEEN 99 PRECEDING AND 1 FOLLOWING": "two-stacks-lite",
        "ROWS BETWEEN 99 PRECEDING AND 1 PRECEDING": "two-stacks-lite",
        "RANGE BETWEEN 99 PRECEDING AND CURRENT ROW": "two-stacks-lite",
        "ROWS UNBOUNDED PRECEDING": "running",
    }

    def algorithm(call: str, frame: str) -> str | None:
        [report] = slidewise.explain(spark.sql(f"SELECT {call} OVER (ORDER BY i {frame}) FROM {TABLE}")).collect()
        return str(report.algorithm) if report.algorithm else None

    assert {frame: algorithm(call, frame) for frame in frames} == frames
    assert algorithm("approx_count_if(x > 50, 1E-7)", "ROWS 99 PRECEDING") == "two-stacks-lite"
    with settings(spark, {"spark.slidewise.mergeApproximate": "false"}):
        assert algorithm(call, "ROWS 99 PRECEDING") == "two-stacks-lite"


EVERYWHERE_ELSE = [
    "SELECT {call} FROM {table}",
    "SELECT g, {call} FROM {table} GROUP BY g ORDER BY g",
    "SELECT i, {call} OVER (PARTITION BY g ORDER BY i ROWS BETWEEN 50 PRECEDING AND 3 FOLLOWING) FROM {table}",
    "SELECT i, {call} OVER (PARTITION BY g ORDER BY i RANGE BETWEEN 50 PRECEDING AND CURRENT ROW) FROM {table}",
    "SELECT i, {call} OVER (PARTITION BY g ORDER BY i) FROM {table}",
]


@pytest.mark.parametrize(("query", "slidewise_on"), crossed(EVERYWHERE_ELSE, ["true", "false"]))
def test_exact_everywhere_else(spark: SparkSession, query: str, slidewise_on: str) -> None:
    with settings(spark, {"spark.slidewise.enabled": slidewise_on}):
        for approximate, exact in [
            ("approx_count_if(x > 50, 0.5)", "cast(count_if(x > 50) AS double)"),
            ("approx_sum(x, 100, 0.5)", "cast(sum(x) AS double)"),
        ]:
            told = exact.replace(" AS double)", "")[5:]
            found = spark.sql(query.format(call=approximate, table=TABLE)).collect()
            truth = spark.sql(query.format(call=told, table=TABLE)).collect()
            assert sorted(tuple(row) for row in found) == sorted((*row[:-1], float(row[-1] or 0)) for row in truth)


@pytest.mark.parametrize(
    "changes", [{"spark.slidewise.enabled": "false"}, {"spark.slidewise.mergeApproximate": "false"}]
)
def test_exact_where_it_is_switched_off(spark: SparkSession, changes: dict[str, str]) -> None:
    window = FRAME.format(n=700)
    with settings(spark, changes):
        answer = spark.sql(
            f"""SELECT max(abs(a - b)), max(abs(c - d)) FROM (SELECT approx_count_if(x > 50, 0.5) OVER w AS a,
                  count_if(x > 50) OVER w AS b, approx_sum(x, 100, 0.5) OVER w AS c, coalesce(sum(x) OVER w, 0) AS d
                FROM {TABLE} WINDOW w AS {window})"""
        )
        assert tuple(answer.first()) == (0.0, 0.0)


def test_rows_are_not_kept(spark: SparkSession) -> None:
    """What a task takes does not grow with the window, as it does where the rows of the frame are kept."""

    def memory(call: str) -> int:
        window = "(ORDER BY i ROWS 299999 PRECEDING)"
        with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
            frame = spark.sql(
                f"SELECT {call} OVER {window} AS n FROM (SELECT id AS i, id % 7 AS x FROM range(0, 400000, 1, 1))"
            )
            frame = frame.agg({"n": "max"})
            frame.collect()
            return metric(frame, "peakMemory")

    assert memory("approx_count_if(x > 3, 0.01)") < 2_000_000
    assert memory("approx_count_if(x > 3, 0.0000001)") > 4_000_000


@pytest.mark.parametrize(
    ("call", "condition", "said"),
    [
        ("approx_count_if(x, 0.1)", "UNEXPECTED_INPUT_TYPE", ["first", "BOOLEAN"]),
        ("approx_count_if(x > 1, 0)", "VALUE_OUT_OF_RANGE", ["`epsilon`", "(0, 1)", "0"]),
        ("approx_count_if(x > 1, 1)", "VALUE_OUT_OF_RANGE", ["`epsilon`", "(0, 1)", "1"]),
        ("approx_count_if(x > 1, x)", "NON_FOLDABLE_INPUT", ["`epsilon`"]),
        ("approx_count_if(x > 1, NULL)", "VALUE_OUT_OF_RANGE", ["`epsilon`", "(0, 1)", "NULL"]),
        ("approx_sum(x, 0, 0.1)", "VALUE_OUT_OF_RANGE", ["`upper_bound`", "[1, 9007199254740992]", "0"]),
        ("approx_sum(x, -1.5, 0.1)", "VALUE_OUT_OF_RANGE", ["`upper_bound`", "-1.5"]),
        ("approx_sum(x, double('inf'), 0.1)", "VALUE_OUT_OF_RANGE", ["`upper_bound`", "[2^-960, 2^960]", "Infinity"]),
        ("approx_sum(x, 1e300D, 0.1)", "VALUE_OUT_OF_RANGE", ["`upper_bound`", "1.0E300"]),
        ("approx_sum(x, 1e-300D, 0.1)", "VALUE_OUT_OF_RANGE", ["`upper_bound`", "1.0E-300"]),
        ("approx_sum(x, x, 0.1)", "NON_FOLDABLE_INPUT", ["`upper_bound`"]),
        ("approx_sum('a', 10, 0.1)", "UNEXPECTED_INPUT_TYPE", ["first", "NUMERIC"]),
        ("approx_sum(x, 10, -0.1)", "VALUE_OUT_OF_RANGE", ["`epsilon`", "-0.1"]),
    ],
)
def test_what_is_refused_when_a_query_is_analysed(
    spark: SparkSession, call: str, condition: str, said: list[str]
) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"SELECT {call} OVER (ORDER BY i ROWS 2 PRECEDING) FROM {TABLE}")
    assert condition_of(caught.value) == f"DATATYPE_MISMATCH.{condition}", caught.value
    assert unsaid(said, caught.value) == [], caught.value


@pytest.mark.parametrize("x", ["11", "-1", "double('NaN')", "-0.5D"])
@pytest.mark.parametrize("slidewise_on", ["true", "false"])
def test_a_value_outside_of_what_was_said_is_named(spark: SparkSession, x: str, slidewise_on: str) -> None:
    sql = f"SELECT approx_sum(x, 10, 0.1) OVER (ORDER BY i ROWS 2 PRECEDING) FROM VALUES (1, 3), (2, {x}) AS t(i, x)"
    with settings(spark, {"spark.slidewise.enabled": slidewise_on}), pytest.raises(SPARK_ERRORS) as caught:
        spark.sql(sql).collect()
    for part in ("SLIDEWISE_INVALID_ARGUMENT", "`x`", "from 0 to upper_bound = 10.0"):
        assert part in str(caught.value)
