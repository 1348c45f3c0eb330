"""Windows that tasks share, from batches to batches: which rows are never made, and that all answers stay the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from cases import crossed
from pyspark.sql import DataFrame, SparkSession
from session import settings

from semantics.sharing import TABLE, Sharing, named


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    root = tmp_path_factory.mktemp("tables")
    nested = "array(id, NULL) AS a, map('k', s) AS k, cast(h AS decimal(38, 6)) AS wide, repeat(s, few) AS long"
    rows = spark.sql(f"SELECT *, {nested} FROM ({TABLE})").repartition(3, "id")
    rows.write.parquet(f"{root}/parquet")
    rows.write.orc(f"{root}/orc")
    spark.read.parquet(f"{root}/parquet").createOrReplaceTempView("in_parquet")
    spark.read.orc(f"{root}/orc").createOrReplaceTempView("in_orc")
    with settings(spark, {"spark.sql.files.openCostInBytes": "1g", "spark.sql.files.minPartitionNum": "3"}):
        yield
    for table in ("in_parquet", "in_orc"):
        spark.catalog.dropTempView(table)


def reads_batches(frame: DataFrame) -> list[bool]:
    return [bool(node.child().supportsColumnar()) for node in named(frame, "RunsExchange")]


def returns_batches(frame: DataFrame) -> list[bool]:
    return [bool(node.supportsColumnar()) for node in named(frame, "SlidingWindow")]


# Keys that follow from a column, that need the row, and that do both; of one value for many rows.
ORDERS = [
    "id",
    "h DESC, id",
    "d, id",
    "s, id",
    "s DESC, d, id",
    "few, three, id",
    "three, s, id",
    "m + 1, id",
    "upper(s), id",
]
CALLS = [
    "sum(l) {over} AS x, avg(d) {over} AS y",
    "lag(s, 3) {over} AS x, row_number() {over} AS y",
    "first_value(m) {over} AS x, max(day) {over} AS y",
    "max_by(s, l) {over} AS x, count(*) {over} AS y",
]
FRAMES = ["", "ROWS 40 PRECEDING", "ROWS BETWEEN 3 FOLLOWING AND UNBOUNDED FOLLOWING"]


@pytest.mark.parametrize(("order", "calls", "table"), crossed(ORDERS, CALLS, ["parquet", "orc"]))
def test_all_columns(sharing: Sharing, order: str, calls: str, table: str) -> None:
    for frame in FRAMES if "lag" not in calls else [""]:
        over = f"OVER (ORDER BY {order} {frame})"
        query = f"SELECT *, {calls.format(over=over)} FROM in_{table}"
        sharing.ask(query, spark_too=True)
        _, found = sharing.run(query, {})
        # A text is computed for rows.
        assert reads_batches(found) == ["upper" not in order]
        # Nested columns are returned in rows.
        assert returns_batches(found) == [False]


@pytest.mark.parametrize("where", ["true", "few > 100", "few > 100 AND s < 'k5'", "id = 7", "id < 0"])
def test_filtered_rows_of_some_columns(sharing: Sharing, where: str) -> None:
    rows = f"SELECT id, h AS g, s, m, d FROM in_parquet WHERE {where}"
    query = f"SELECT id, s, m, sum(d) OVER (ORDER BY g, id) AS x, rank() OVER (ORDER BY g, id) AS y FROM ({rows})"
    few = where.startswith("id")
    sharing.ask(query, tasks=range(2) if few else range(2, 8), spark_too=True)
    _, found = sharing.run(query, {})
    assert reads_batches(found) == [True]
    assert returns_batches(found) == [True]


ABOVE: dict[str, Any] = {
    "groups": "SELECT three, count(*), sum(x), max(s) FROM ({}) GROUP BY three",
    "a filter": "SELECT id, x FROM ({}) WHERE x > 2000 AND few < 200",
    "a projection": "SELECT id + 1, x * 2, upper(s) FROM ({})",
    "keys": "SELECT id, x, sum(x) OVER (PARTITION BY three ORDER BY id) FROM ({})",
    "another order": "SELECT id, x, sum(few) OVER (ORDER BY s, id ROWS 5 PRECEDING) FROM ({})",
    "a join": "SELECT a.id, a.x, b.x FROM ({}) a JOIN ({}) b ON a.id = b.id + 1",
}


@pytest.mark.parametrize(("above", "adaptive"), crossed(ABOVE, ["true", "false"]))
def test_what_reads_the_batches(sharing: Sharing, above: str, adaptive: str) -> None:
    window = "SELECT id, s, few, three, sum(l) OVER (ORDER BY h, id ROWS 30 PRECEDING) AS x FROM in_parquet"
    query = ABOVE[above].replace("{}", window)
    sharing.ask(query, tasks=range(8), spark_too=True, adaptive_enabled=adaptive, autoBroadcastJoinThreshold="-1")
    _, found = sharing.run(query, {"spark.sql.adaptive.enabled": adaptive})
    assert any(returns_batches(found))
    assert any(reads_batches(found))


@pytest.mark.parametrize("setting", ["codegen.wholeStage", "parquet.enableVectorizedReader"])
def test_without_batches(sharing: Sharing, setting: str) -> None:
    query = "SELECT id, s, sum(l) OVER (ORDER BY h, id) AS x FROM in_parquet"
    sharing.ask(query, spark_too=True, **{setting.replace(".", "_"): "false"})
    _, found = sharing.run(query, {f"spark.sql.{setting}": "false"})
    assert (returns_batches(found), reads_batches(found)) != ([True], [True])


def test_rows_that_tie_and_one_row(sharing: Sharing) -> None:
    for rows in ("SELECT 1 AS k, l FROM in_parquet", "SELECT 1 AS k, l FROM in_parquet WHERE id = 3"):
        sharing.ask(f"SELECT k, sum(l) OVER (ORDER BY k) FROM ({rows})", tasks=range(8), spark_too=True)


@pytest.mark.parametrize("table", ["parquet", "orc"])
def test_a_whole_table_that_is_filtered(sharing: Sharing, table: str) -> None:
    """The aggregates hold values of batches that are gone."""
    calls = """max(s) OVER (), min(b) OVER (), max(t) OVER (), max_by(s, l) OVER (), max(wide) OVER (),
        min(long) OVER (), approx_count_distinct(s) OVER (), sum(m) OVER (), count(a) OVER ()"""
    query = f"SELECT id, {calls} FROM in_{table} WHERE few > 20"
    sharing.ask(query, spark_too=True)
    _, found = sharing.run(query, {})
    assert reads_batches(found) == [True]
