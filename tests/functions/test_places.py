"""The functions wherever an aggregate may stand; the answers of GROUP BY are those of the whole window."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import crossed
from pyspark.sql import SparkSession
from semantics.conftest import Ask
from session import settings
from sparks import SPARK

import slidewise
from functions.catalogue import ALL

MARKED = [call if "%" in call else f"{call}%" for function in ALL for call in function.grouped]
CALLS = [call.replace("%", "") for call in MARKED]
TABLE = "(SELECT id, id % 7 + 1 AS x, concat('s', id % 5) AS s, id % 3 AS g, id % 2 AS h FROM range(0, 1000, 1, {n}))"
WHOLE = "OVER (PARTITION BY g ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"


def over(call: str, window: str) -> str:
    """The call with its aggregate over a window."""
    return MARKED[CALLS.index(call)].replace("%", f" {window}")


def in_group_by_as_over_the_whole_window(spark: SparkSession, call: str) -> None:
    windows = spark.sql(f"SELECT g, {over(call, WHOLE)} FROM {TABLE.format(n=1)}").distinct().collect()
    expected = sorted(repr(tuple(row)) for row in windows)
    assert len(expected) == 3
    for partitions in (1, 7):
        grouped = spark.sql(f"SELECT g, {call} FROM {TABLE.format(n=partitions)} GROUP BY g").collect()
        assert sorted(repr(tuple(row)) for row in grouped) == expected, partitions


def in_aggregation_that_falls_back_to_sorting(spark: SparkSession, call: str) -> None:
    sql = f"SELECT id % 400 AS k, {call} FROM {TABLE.format(n=3)} GROUP BY k"
    expected = sorted(repr(tuple(row)) for row in spark.sql(sql).collect())
    fallback = {
        "spark.sql.TungstenAggregate.testFallbackStartsAt": "50, 100",
        "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "2",
    }
    with settings(spark, fallback):
        assert sorted(repr(tuple(row)) for row in spark.sql(sql).collect()) == expected


def with_filter_rollup_and_pivot(spark: SparkSession, call: str) -> None:
    table = TABLE.format(n=3)
    rolled = spark.sql(f"SELECT g, h, {call} FROM {table} GROUP BY ROLLUP (g, h)").collect()
    assert len(rolled) == 10
    [whole] = (row[2] for row in rolled if row.g is None)
    assert repr(whole) == repr(spark.sql(f"SELECT {call} FROM {table}").first()[0])
    if " AS " not in call and call.count("(") == 1:
        filtered = spark.sql(f"SELECT {call} FILTER (WHERE g = 1) FROM {table}").first()[0]
        # What is neither aggregated nor pivoted would be grouped by.
        columns = ", ".join(c for c in ("id", "x", "s") if re.search(rf"\b{c}\b", call))
        [pivoted] = spark.sql(f"SELECT * FROM (SELECT {columns}, g FROM {table}) PIVOT ({call} FOR g IN (1))").collect()
        assert repr(filtered) == repr(pivoted[0])
        assert repr(filtered) == repr(spark.sql(f"SELECT {call} FROM {table} WHERE g = 1").first()[0])


PLACES = [
    in_group_by_as_over_the_whole_window,
    in_aggregation_that_falls_back_to_sorting,
    with_filter_rollup_and_pivot,
]


@pytest.mark.parametrize(("call", "place"), crossed(CALLS, PLACES))
def test_a_function_in_a_place(spark: SparkSession, call: str, place: Callable[[SparkSession, str], None]) -> None:
    place(spark, call)


def test_a_bloom_filter_in_a_pivot(spark: SparkSession) -> None:
    for sizes in ("", ", 100", ", 100, 256"):
        call, table = f"bloom_filter_agg(id{sizes})", TABLE.format(n=3)
        pivoted = f"(SELECT id, g FROM {table}) PIVOT ({call} FOR g IN (1, 2))"
        expected = [spark.sql(f"SELECT {call} FROM {table} WHERE g = {g}").first()[0] for g in (1, 2)]
        assert list(spark.sql(f"SELECT * FROM {pivoted}").first()) == expected


def test_arguments_by_name(spark: SparkSession) -> None:
    same = {
        "top_k(k => 2, x => x)": "top_k(x, 2)",
        "bloom_filter_agg(x, bits => 64, expected => 9)": "bloom_filter_agg(x, 9, 64)",
        "naive_bayes_agg(s, features => struct(x))": "naive_bayes_agg(s, struct(x))",
        "arg_max(value => id, key => s)": "arg_max(s, id)",
        # Before Spark 4.1, names are told by case.
        f"approx_sum(x, epsilon => 0.1, {'UPPER_BOUND' if SPARK >= (4, 1) else 'upper_bound'} => 9)": (
            "approx_sum(x, 9, 0.1)"
        ),
    }
    for named, positional in same.items():
        [row] = spark.sql(f"SELECT {named}, {positional} FROM {TABLE.format(n=3)}").collect()
        assert row[0] == row[1], named
    over = "OVER (ORDER BY id ROWS 3 PRECEDING)"
    sql = f"SELECT ewma(alpha => 0.5, x => x) {over} <=> ewma(x, 0.5) {over} FROM {TABLE.format(n=1)}"
    assert {row[0] for row in spark.sql(sql).collect()} == {True}


def test_of_nothing(spark: SparkSession) -> None:
    calls = ", ".join(call for call in CALLS if not call.startswith("count_min"))
    row = spark.sql(f"SELECT {calls} FROM {TABLE.format(n=3)} WHERE id < 0").first()
    assert [value for value in row if value not in (None, 0)] == []


def test_distinct(spark: SparkSession) -> None:
    row = spark.sql(
        "SELECT max_count(DISTINCT x), geomean(DISTINCT x), top_k(DISTINCT x, 2) FROM VALUES (2), (8), (8) AS t(x)"
    )
    assert tuple(row.first()) == (1, 4.0, [8, 2])


def test_in_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Each batch merges its states into those that are kept from before."""
    source = tmp_path / "in"
    for batch in range(3):
        spark.range(batch * 10, batch * 10 + 10).coalesce(1).write.mode("append").parquet(str(source))
    stream = spark.readStream.schema("id bigint").option("maxFilesPerTrigger", 1).parquet(str(source))
    calls = [
        "max_count(id % 4)",
        "geomean(id + 1)",
        "m4(id, -id)",
        "top_k(id, 2)",
        "arg_max(id, id % 7)",
        "naive_bayes_agg(id % 2, struct(id))",
    ]
    query = (
        stream.selectExpr("id", "id % 3 AS g").createOrReplaceTempView("streamed")
        or spark.sql(f"SELECT g, {', '.join(f'{c} AS c{i}' for i, c in enumerate(calls))} FROM streamed GROUP BY g")
        .writeStream.format("memory")
        .queryName("answers")
        .outputMode("complete")
        .start()
    )
    try:
        query.processAllAvailable()
        found = spark.sql("SELECT g, c0, round(c1, 9), c2, c3 FROM answers ORDER BY g").collect()
    finally:
        query.stop()
    batch_calls = "max_count(id % 4), round(geomean(id + 1), 9), m4(id, -id), top_k(id, 2)"
    expected = spark.sql(f"SELECT id % 3 AS g, {batch_calls} FROM range(30) GROUP BY g ORDER BY g").collect()
    assert [tuple(row) for row in found] == [tuple(row) for row in expected]


def test_slidewise_runs_all_of_them_over_moving_frames(spark: SparkSession) -> None:
    from functions.test_random_frames import CASES

    ours = [*CASES, "bloom_filter_agg(x)", "count_min_sketch_merge_agg(b)", "naive_bayes_agg(x, struct(y))"]
    calls = ", ".join(f"{call} OVER (ORDER BY i ROWS 9 PRECEDING)" for call in ours)
    table = "VALUES (1, 1, 1, 1, 1.0D, CAST(NULL AS BINARY)) AS t(i, t, x, y, d, b)"
    reports = slidewise.explain(spark.sql(f"SELECT {calls} FROM {table}")).collect()
    assert len(reports) == len(ours)
    assert {report.algorithm for report in reports} == {"two-stacks-lite", "two-stacks-lite-sketches"}


def test_a_constant_number_of_merges_a_row(spark: SparkSession) -> None:
    from plans import metric

    calls = "ewma(id, 0.1) OVER w, longest_increasing_run(id % 97) OVER w, geomean(id + 1) OVER w"
    rows = 20_000
    for length in (10, 1000):
        with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
            frame = spark.sql(
                f"SELECT {calls} FROM range(0, {rows}, 1, 1) WINDOW w AS (ORDER BY id ROWS {length} PRECEDING)"
            )
            frame.collect()
            assert metric(frame, "combines") <= 4 * rows


def test_a_collation_decides_what_is_equal(ask: Ask) -> None:
    answer = ask(
        """SELECT i, max_count(s) OVER w, top_k(s, 2) OVER w, arg_max(i, s, 'last') OVER w,
             longest_increasing_run(s, false).length OVER w
           FROM (SELECT i, s COLLATE UTF8_LCASE AS s FROM VALUES (1, 'a'), (2, 'A'), (3, 'B'), (4, 'b') AS t(i, s))
           WINDOW w AS (ORDER BY i ROWS 2 PRECEDING)""".replace(".length OVER w", " OVER w")
    )
    assert [row[1] for row in answer] == [1, 2, 1, 2]
    assert [row[3] for row in answer] == [1, 2, 3, 4]
