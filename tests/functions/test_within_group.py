"""Functions that depend on the order of the rows, with an order of their own: f(…) WITHIN GROUP (ORDER BY …)."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import crossed, long_if
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from session import settings
from sparks import condition_of, needs_within_group

import slidewise.functions as sw
from functions.catalogue import ALL

pytestmark = needs_within_group

# t has ties, in which x and s differ.
CALLS = [call for function in ALL for call in function.within_group]
TABLE = """(SELECT id, id % 3 AS g, id % 2 AS h, id DIV 5 AS t,
                   CASE WHEN id % 11 = 0 THEN NULL ELSE (id * 7919) % 23 - 9 END AS x, concat('s', (id * 31) % 17) AS s
            FROM (SELECT pmod(xxhash64(id), 600) AS id FROM range(0, 2000, 1, {n})) GROUP BY id)"""
ORDERS = ["t", "h DESC, t DESC", "s, t DESC", "x NULLS LAST"]


def arguments(call: str) -> str:
    """The function's own arguments, which decide among rows that tie."""
    inside = call[call.index("(") + 1 : call.rindex(")")].replace("timestamp_seconds(t)", "t")
    return ", ".join(a for a in inside.split(", ") if a in ("t", "x", "s"))


def answers(spark: SparkSession, sql: str) -> list[str]:
    return sorted(repr(tuple(row)) for row in spark.sql(sql).collect())


def ordered(order: str, filtered: str = "") -> str:
    """All calls, each with the order."""
    return ", ".join(f"{call} WITHIN GROUP (ORDER BY {order}){filtered} AS c{i}" for i, call in enumerate(CALLS))


@pytest.mark.parametrize(("order", "tasks"), crossed(ORDERS, [(1, 1), (7, 1), (2, 5)]))
def test_in_group_by_as_over_the_whole_window(spark: SparkSession, order: str, tasks: tuple[int, int]) -> None:
    partitions, shuffled = tasks
    frame = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    over = ", ".join(
        f"{call} OVER (PARTITION BY g ORDER BY {order}, {arguments(call)} {frame}) AS c{i}"
        for i, call in enumerate(CALLS)
    )
    expected = answers(spark, f"SELECT DISTINCT g, {over} FROM {TABLE.format(n=1)}")
    assert len(expected) == 3
    with settings(spark, {"spark.sql.shuffle.partitions": str(shuffled)}):
        sql = f"SELECT g, {ordered(order)} FROM {TABLE.format(n=partitions)} GROUP BY g"
        assert answers(spark, sql) == expected


def test_in_aggregation_that_falls_back_to_sorting_and_without_generated_code(spark: SparkSession) -> None:
    sql = f"SELECT id % 100 AS k, {ordered('t')} FROM {TABLE.format(n=3)} GROUP BY k"
    expected = answers(spark, sql)
    for changes in (
        {"spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "2"},
        {"spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.codegen.wholeStage": "false"},
    ):
        with settings(spark, changes):
            assert answers(spark, sql) == expected


def test_with_filter_rollup_pivot_and_over_partitions(spark: SparkSession) -> None:
    table, calls = TABLE.format(n=3), ordered("t")
    groups = spark.sql(f"SELECT g, {calls} FROM {table} GROUP BY g ORDER BY g").collect()
    rolled = spark.sql(f"SELECT g, h, {calls} FROM {table} GROUP BY ROLLUP (g, h)").collect()
    assert len(rolled) == 10
    whole = answers(spark, f"SELECT {calls} FROM {table}")
    assert [repr(tuple(row[2:])) for row in rolled if row.g is None] == whole
    assert sorted(repr((row.g, *row[2:])) for row in rolled if row.h is None and row.g is not None) == [
        repr(tuple(row)) for row in groups
    ]
    of_one = [repr(tuple(groups[1][1:]))]
    filtered = ordered("t", " FILTER (WHERE g = 1)")
    assert answers(spark, f"SELECT {filtered} FROM {table}") == of_one
    # Where one column is pivoted, its answers have the names of the calls; all columns but g are of the calls.
    pivoted = f"(SELECT t, x, s, g FROM {table}) PIVOT ({calls} FOR g IN (1))"
    assert answers(spark, f"SELECT * FROM {pivoted}") == of_one
    over = ", ".join(f"{call} WITHIN GROUP (ORDER BY t) OVER (PARTITION BY g)" for call in CALLS)
    assert answers(spark, f"SELECT DISTINCT g, {over} FROM {table}") == [repr(tuple(row)) for row in groups]


def test_of_nothing(spark: SparkSession) -> None:
    calls = ", ".join(f"{call} WITHIN GROUP (ORDER BY t)" for call in CALLS)
    row = spark.sql(f"SELECT {calls} FROM {TABLE.format(n=3)} WHERE id < 0").first()
    assert set(row) == {None}


def test_in_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    """The rows of a batch may come before those of the batches that are kept."""
    source = tmp_path / "in"
    for batch in (2, 0, 1):
        spark.range(batch * 10, batch * 10 + 10).coalesce(1).write.mode("append").parquet(str(source))
    stream = spark.readStream.schema("id bigint").option("maxFilesPerTrigger", 1).parquet(str(source))
    stream.createOrReplaceTempView("streamed")
    calls = "ewma(id, 0.5) WITHIN GROUP (ORDER BY id), longest_increasing_run(id % 7) WITHIN GROUP (ORDER BY id DESC)"
    sql = f"SELECT id % 3 AS g, {calls} FROM {{}} GROUP BY id % 3"
    query = (
        spark.sql(sql.format("streamed"))
        .toDF("g", "mean", "run")
        .writeStream.format("memory")
        .queryName("ordered_answers")
        .outputMode("complete")
        .start()
    )
    try:
        query.processAllAvailable()
        found = answers(spark, "SELECT * FROM ordered_answers")
    finally:
        query.stop()
    assert found == answers(spark, sql.format("range(30)"))


def test_an_argument_without_an_order_cannot_decide_among_rows_that_tie(spark: SparkSession) -> None:
    table = "VALUES (2, map('b', 1), 5), (1, map('a', 1), 5) AS t(i, m, v)"
    assert spark.sql(f"SELECT arg_max(m, v, 'last') WITHIN GROUP (ORDER BY i) FROM {table}").first()[0] == {"b": 1}


def test_python_helpers_take_names_columns_and_several_of_them(spark: SparkSession) -> None:
    df = spark.sql("SELECT * FROM VALUES ('a', 1, 5), ('b', 1, 7), ('c', 2, 6), ('d', 2, 1) AS t(k, i, x)")
    orders = ["k", F.col("k").desc(), ["i", F.desc("k")], (F.col("i").desc_nulls_first(), "k"), [F.lit(1)]]
    selected = [sw.longest_increasing_run("x", order_by=by).getField("end_value") for by in orders]
    assert list(df.select(*selected).first()) == [7, 7, 6, 7, 7]
    assert df.select(sw.top_k("x", F.lit(2))).first() == df.select(sw.top_k("x", 2)).first()
    with pytest.raises(AnalysisException) as caught:
        df.select(sw.top_k("x", 2), sw.ewma("x", 0.5, order_by="nothing"))
    assert condition_of(caught.value).startswith("UNRESOLVED_COLUMN")


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("ewma(DISTINCT x, 0.5) WITHIN GROUP (ORDER BY i)", "INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED"),
        ("ewma(x, 0.5) WITHIN GROUP (ORDER BY i) OVER (ORDER BY i)", "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC"),
        (
            "ewma(x, 0.5) WITHIN GROUP (ORDER BY i) OVER (PARTITION BY i ROWS 1 PRECEDING)",
            "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC",
        ),
        ("geomean(x) WITHIN GROUP (ORDER BY i)", "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX"),
        ("ewma(x, 7) WITHIN GROUP (ORDER BY i)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("ewma(x, 0.5) WITHIN GROUP (ORDER BY map(i, i))", "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"),
    ],
)
def test_refusals(spark: SparkSession, sql: str, condition: str) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"SELECT {sql} FROM VALUES (1, 2) AS t(i, x)")
    assert condition_of(caught.value) == condition, caught.value


def test_an_explained_plan_says_the_order(spark: SparkSession) -> None:
    frame = spark.sql("SELECT ewma(x, 0.5) WITHIN GROUP (ORDER BY i DESC) FROM VALUES (1, 2) AS t(i, x)")
    assert frame.columns == ["ewma(x, 0.5) WITHIN GROUP (ORDER BY i DESC NULLS LAST)"]


@pytest.mark.parametrize("call", long_if(lambda call: CALLS.index(call) % 3 > 0, [(call,) for call in CALLS]))
def test_beside_several_distincts(spark: SparkSession, call: str) -> None:
    """Which Spark plans by putting columns in the place of all arguments."""
    own = f"{call} WITHIN GROUP (ORDER BY t, id DESC)"
    distinct = "count(DISTINCT s), sum(DISTINCT x) FILTER (WHERE h = 0)"
    table = TABLE.format(n=3)
    alone = answers(spark, f"SELECT g, {own} FROM {table} GROUP BY g")
    beside = spark.sql(f"SELECT g, {own}, {distinct} FROM {table} GROUP BY g").collect()
    assert sorted(repr(tuple(row)[:2]) for row in beside) == alone
