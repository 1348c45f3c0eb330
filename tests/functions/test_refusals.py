"""What is wrong with a call is said when the query is analysed: the argument, its value, what is allowed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from sparks import SPARK, SPARK_ERRORS, condition_of, needs_connect_server, skip_if_lacking, unsaid

from functions.catalogue import ALL

TABLE = "FROM VALUES (1, 2, 'a', array(1)) AS t(i, x, s, a)"
ORDER_DEPENDENT = [call for function in ALL for call in function.refused_unordered]


def refusal(spark: SparkSession, sql: str) -> AnalysisException:
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    return caught.value


@pytest.mark.parametrize("call", ORDER_DEPENDENT)
@pytest.mark.parametrize(
    "query", ["SELECT {call} {table}", "SELECT s, {call} {table} GROUP BY s", "SELECT {call} OVER () {table}"]
)
def test_what_depends_on_the_order_needs_one(spark: SparkSession, call: str, query: str) -> None:
    error = refusal(spark, query.format(call=call, table=TABLE))
    name = call.split("(")[0]
    assert condition_of(error) == "SLIDEWISE_ORDER_REQUIRED"
    assert SPARK < (4, 0) or "SQLSTATE: 42601" in str(error)
    assert error.getMessageParameters()["functionName"] == f"`{name}`"
    assert f"`{name}`(…) OVER (… ORDER BY …) or `{name}`(…) WITHIN GROUP (ORDER BY …)" in str(error)
    assert "in Python the argument order_by=" in str(error)


def test_an_order_is_needed_in_subqueries_and_pivots_too(spark: SparkSession) -> None:
    pivot = f"SELECT * FROM (SELECT s, x, i {TABLE}) PIVOT (ewma(x, 0.5) FOR s IN ('a'))"
    for sql in (
        pivot,
        f"SELECT (SELECT ewma(x, 0.5) {TABLE})",
        f"WITH c AS (SELECT rate(i, x) AS r {TABLE}) SELECT r FROM c",
    ):
        assert condition_of(refusal(spark, sql)) == "SLIDEWISE_ORDER_REQUIRED"


def test_a_rule_for_ties_may_be_left_out_where_there_is_no_order(spark: SparkSession) -> None:
    error = refusal(spark, f"SELECT arg_max(x, i, 'first') {TABLE}")
    assert "or no argument `ties`" in str(error)
    assert spark.sql(f"SELECT arg_max(x, i) {TABLE}").first()[0] == 2


@pytest.mark.parametrize(("call", "condition", "said"), [wrong for function in ALL for wrong in function.refusals])
def test_an_argument_is_named_with_its_value_and_what_is_allowed(
    spark: SparkSession, call: str, condition: str, said: list[str]
) -> None:
    skip_if_lacking(call)
    error = refusal(
        spark,
        f"SELECT {call} OVER (ORDER BY i) {TABLE}" if "_agg(" in call or "ewma" in call else f"SELECT {call} {TABLE}",
    )
    assert condition_of(error) == f"DATATYPE_MISMATCH.{condition}", error
    assert unsaid(said, error) == [], error


@pytest.mark.parametrize("call", ["geomean()", "geomean(x, x)", "top_k(x)", "might_contain(x)", "bloom_filter_agg()"])
def test_a_wrong_number_of_arguments(spark: SparkSession, call: str) -> None:
    assert str(condition_of(refusal(spark, f"SELECT {call} {TABLE}"))).startswith("WRONG_NUM_ARGS")


@pytest.mark.parametrize(
    ("call", "condition", "said"),
    [
        ("ewma(x, beta => 0.5)", "UNRECOGNIZED_PARAMETER_NAME", ["`beta`", "`alpha`"]),
        ("ewma(x, x => x, alpha => 1)", "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT", ["`x`"]),
        ("ewma(alpha => 1, x)", "UNEXPECTED_POSITIONAL_ARGUMENT", ["`alpha`"]),
        ("ewma(x => x)", "REQUIRED_PARAMETER_NOT_FOUND", ["`alpha`"]),
        ("bloom_filter_agg(x, bits => 100)", "REQUIRED_PARAMETER_NOT_FOUND", ["`expected`"]),
        ("top_k(x => x, k => 1, j => 2)", "UNRECOGNIZED_PARAMETER_NAME", ["`j`"]),
    ],
)
def test_a_name_that_is_not_that_of_an_argument(
    spark: SparkSession, call: str, condition: str, said: list[str]
) -> None:
    error = refusal(spark, f"SELECT {call} OVER (ORDER BY i) {TABLE}")
    assert str(condition_of(error)).startswith(condition), error
    assert unsaid(said, error) == [], error


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("might_contain(X'0011', 1)", ["`filter` of `might_contain` is 2 bytes", "`bloom_filter_agg`"]),
        ("count_min_sketch_estimate(X'00', 1)", ["`sketch` of `count_min_sketch_estimate` is 1 bytes"]),
        ("count_min_sketch_merge_agg(X'01')", ["`sketch` of `count_min_sketch_merge_agg`", "`count_min_sketch`"]),
        (
            "count_min_sketch_merge_agg(s) FROM (SELECT count_min_sketch(1, 0.1D, 0.9D, 1) AS s"
            " UNION ALL SELECT count_min_sketch(1, 0.2D, 0.9D, 1))",
            ["is a sketch with another error, confidence or seed than those before it: it must be of the same error"],
        ),
    ],
)
def test_bytes_that_are_something_else(spark: SparkSession, sql: str, said: list[str]) -> None:
    with pytest.raises(SPARK_ERRORS) as caught:
        spark.sql(f"SELECT {sql}").collect()
    text = str(caught.value)
    assert [part for part in ["SLIDEWISE_INVALID_ARGUMENT", *said] if part not in text] == [], text


@pytest.mark.long
@pytest.mark.parametrize("kind", ["live", pytest.param("connect", marks=needs_connect_server)])
def test_a_session_that_runs_already_and_spark_connect(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    """No rule of analysis can be added to a session that runs; there the planner refuses."""
    code = """
import sys, slidewise, slidewise.functions as sw
from pyspark.sql import SparkSession
if sys.argv[1] != "live":
    spark = slidewise.configure(SparkSession.builder.remote(sys.argv[1])).getOrCreate()
else:
    spark = SparkSession.builder.master("local[2]").getOrCreate()
    slidewise.install(spark)
df = spark.createDataFrame([(1, 2.0), (2, 8.0)], "i int, x double")
print("mean:", df.select(sw.geomean("x").over(sw.trailing(rows=2).orderBy("i")).alias("g")).collect()[-1].g)
print("described:", spark.sql("DESCRIBE FUNCTION EXTENDED geomean").count() > 3)
def refused(query):
    try:
        query().collect()
    except Exception as error:
        print(type(error).__name__, getattr(error, "getErrorClass", lambda: None)())
        print(error)
refused(lambda: df.groupBy().agg(sw.ewma("x", 0.5)))
print("a value:")
refused(lambda: df.selectExpr("approx_sum(x, 5, 0.1)"))
print("over a window:")
refused(lambda: df.selectExpr("ewma(x, 0.5) OVER (ROWS 2 PRECEDING)"))
refused(lambda: df.selectExpr("ewma(x, 0.5) WITHIN GROUP (ORDER BY x) OVER (ORDER BY i ROWS 2 PRECEDING)"))
"""
    session = request.getfixturevalue("connect_server") if kind == "connect" else kind
    done = subprocess.run(
        [sys.executable, "-c", code, session], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert "mean: 4.0" in done.stdout, done.stderr[-3000:]
    assert "described: True" in done.stdout
    of_groups, rest = done.stdout.split("a value:")
    of_values, of_windows = rest.split("over a window:")
    assert "[SLIDEWISE_INVALID_ARGUMENT] `x` of `approx_sum` is 8" in of_values, done.stdout
    assert "AnalysisException SLIDEWISE_ORDER_REQUIRED" in of_groups, done.stdout
    assert "`ewma`(…) OVER (… ORDER BY …)" in of_groups
    assert "AnalysisException SLIDEWISE_ORDER_REQUIRED" in of_windows, done.stdout
    of_order = "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC" if SPARK >= (4, 0) else "PARSE_SYNTAX_ERROR"
    assert f"Exception {of_order}" in of_windows, done.stdout
