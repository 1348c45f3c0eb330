"""Wrong arguments, and what a refresh cannot maintain, are refused before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import slidewise

_DAY = "PARTITION BY k ORDER BY ts RANGE INTERVAL 1 DAY PRECEDING"
QUERY = f"SELECT id, k, ts, id % 2 AS p, sum(x) OVER ({_DAY}) AS v FROM pay"


@pytest.fixture(scope="module", autouse=True)
def stored(spark: SparkSession) -> Iterator[None]:
    rows = "SELECT id, id % 3 AS k, timestamp_seconds(id * 3600) AS ts, id AS x FROM range(40)"
    spark.sql(rows).createOrReplaceTempView("pay")
    spark.sql("SELECT id AS k, id AS g FROM range(3)").createOrReplaceTempView("kinds")
    spark.sql(QUERY).write.partitionBy("p").saveAsTable("refused")
    yield
    spark.sql("DROP TABLE refused")


def refresh(spark: SparkSession, query: str = QUERY, target: Any = "refused", **given: Any) -> slidewise.Refresh:
    arguments = {"keys": "id", "changes": {"pay": spark.table("pay").limit(1)}} | given
    return slidewise.Refresh(spark.sql(query), target, **arguments)


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"target": None}, TypeError, "target is None, but must be the name of a table, or a path"),
    ({"target": ""}, TypeError, "target is '', but must be the name of a table, or a path"),
    ({"keys": []}, TypeError, "keys is [], but must be the name of a column, or a list of at least one name"),
    ({"keys": [1]}, TypeError, "keys is [1], but must be the name of a column"),
    ({"keys": "nosuch"}, AnalysisException, "no column of the result is named nosuch. Allowed: one of id, k, ts, p, v"),
    ({"changes": 3}, TypeError, "changes is 3, but must be a DataFrame of Spark"),
    ({"changes": {}}, ValueError, "changes has the keys [], but must have the name of each changed table"),
    ({"changes": {"pay": "rows"}}, TypeError, "changes['pay'] is 'rows', but must be a DataFrame of Spark"),
    ({"generated": "k"}, TypeError, "generated is 'k', but must be a dictionary from columns to SQL expressions"),
    ({"generated": {"k": 3}}, TypeError, "generated has 'k': 3, but must be a dictionary"),
    ({"generated": {"pay": {"k": ""}}}, TypeError, "generated has 'k': '', but must be a dictionary"),
    ({"generated": {"nosuch": "id"}}, AnalysisException, "the generated column nosuch is no column of its table"),
    ({"generated": {"no": {"k": "id"}}}, AnalysisException, "the query does not read the table no"),
    ({"generated": {"k": "CAST(ts AS DATE)"}}, AnalysisException, "the generated column k is BIGINT, and CAST(ts AS"),
    ({"generated": {"k": "rand()"}}, AnalysisException, "rand() is no expression for the generated column k"),
    ({"generated": {"k": "id % "}}, AnalysisException, "id %  is no expression for the generated column k"),
    ({"generated": {"k": "k + 1"}}, AnalysisException, "k + 1 is no expression for the generated column k"),
]


@pytest.mark.parametrize(("given", "error", "message"), WRONG, ids=[message[:40] for _, _, message in WRONG])
def test_arguments(spark: SparkSession, given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        refresh(spark, **given)
    assert message in str(raised.value)


@pytest.mark.parametrize("table", ["pay", "PAY"])
def test_a_changed_row_contradicts_its_generated_column(spark: SparkSession, table: str) -> None:
    before = spark.table("refused").count()
    changes = {"pay": spark.sql("SELECT * FROM pay WHERE id = 8")}
    wrong = refresh(spark, changes=changes, generated={table: {"k": "id % 2"}})
    for carried_out in (wrong.plan, wrong.run):
        with pytest.raises(Exception, match="another value than that of its generated column: k = 2, id % 2 = 0"):
            carried_out()
    assert spark.table("refused").count() == before


def test_query_is_no_table() -> None:
    with pytest.raises(TypeError, match="query is 'SELECT 1', but must be a DataFrame of Spark"):
        slidewise.refresh("SELECT 1", "t", keys="id", changes=None)  # type: ignore[arg-type]


def of(columns: str, source: str = "pay") -> str:
    """A query with the columns of the target."""
    return f"SELECT id, k, ts, id % 2 AS p, {columns} AS v FROM {source}"


COUNT = "count(*) OVER (PARTITION BY k ORDER BY ts)"
_SESSION = "session_window(ts, '2 hours')"
REFUSED = {
    of(COUNT) + " LIMIT 3": "within the LIMIT",
    of(COUNT, "(SELECT * FROM pay LIMIT 9)"): "within the LIMIT",
    of("sum(CAST(rand() * 9 AS BIGINT)) OVER (PARTITION BY k)"): "may give another value whenever it is evaluated",
    of("sum(datediff(current_date(), ts)) OVER (PARTITION BY k)"): "changes with the time of the query",
    of(COUNT, "(SELECT * FROM pay UNION ALL SELECT * FROM pay)"): "in a UNION",
    of(
        f"v + {COUNT}",
        f"pay JOIN (SELECT id AS other, {COUNT} AS v FROM pay) ON id = other",
    ): "results of windows are joined with other rows of pay",
    of(
        "v", "(SELECT *, (SELECT max(x) FROM pay) AS v FROM pay)"
    ): "a subquery in an expression reads pay, of which rows have changed",
    of(COUNT, "pay WHERE k IN (SELECT k FROM kinds WHERE g < (SELECT max(x) FROM pay))"): (
        "a subquery in an expression reads pay, of which rows have changed"
    ),
    f"SELECT id, k, ts, p, max(v) AS v FROM ({of(COUNT)}) GROUP BY id, k, ts, p": "Aggregate reads results of windows",
    of(
        COUNT, "(SELECT pay.* FROM kinds FULL JOIN pay ON pay.k = kinds.k)"
    ): "rows of both sides of the FULL OUTER JOIN",
    of(
        "n",
        f"(SELECT id, k, {_SESSION}.start AS ts, count(*) AS n FROM pay GROUP BY id, k, {_SESSION})",
    ): "a row of pay may join two sessions",
    of("w.v", f"kinds LEFT JOIN (SELECT id, k, ts, {COUNT} AS v FROM pay) w USING (k)"): "rows of the LEFT OUTER JOIN",
    of(
        "w.v", f"(SELECT id, k, ts, {COUNT} AS v FROM pay) w RIGHT JOIN kinds USING (k)"
    ): "rows of the RIGHT OUTER JOIN",
    of("n", "kinds LEFT JOIN (SELECT max(id) AS id, k, ts, count(*) AS n FROM pay GROUP BY k, ts) w USING (k)"): (
        "rows of the LEFT OUTER JOIN exist or not"
    ),
    of(COUNT, "pay JOIN (SELECT k FROM kinds WHERE g < year(current_date())) USING (k)"): "changes with the time",
    of(COUNT, "pay WHERE k IN (SELECT k FROM kinds WHERE g < rand() * 9)"): "may give another value",
    "SELECT id, k, ts, 'a' AS p, sum(x) OVER (PARTITION BY k) AS v FROM pay": "of the query is STRING",
    "SELECT id, k, ts, sum(x) OVER (PARTITION BY k) AS v FROM pay": "has the columns id, k, ts, v, and the target",
}


@pytest.mark.parametrize("query", REFUSED, ids=list(REFUSED.values()))
def test_queries(spark: SparkSession, query: str) -> None:
    before = spark.table("refused").collect()
    with pytest.raises(AnalysisException) as raised:
        refresh(spark, query)
    assert REFUSED[query] in str(raised.value)
    assert "SLIDEWISE_REFRESH_REFUSED" in str(raised.value)
    assert "Allowed: " in str(raised.value)
    assert spark.table("refused").collect() == before


CHANGES: dict[str, tuple[Callable[[SparkSession], Any], str]] = {
    "another table": (lambda s: {"trades": s.table("pay")}, "the query does not read the table trades"),
    "a column less": (lambda s: {"pay": s.table("pay").drop("x")}, "the changes of pay have no column x"),
    "another type": (lambda s: {"pay": s.table("pay").selectExpr("id", "k", "ts", "'a' AS x")}, "of the type STRING"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changes(spark: SparkSession, case: str) -> None:
    changes, message = CHANGES[case]
    with pytest.raises(AnalysisException, match=message):
        refresh(spark, changes=changes(spark)).run()


def test_changes_of_one_of_two_tables_need_its_name(spark: SparkSession) -> None:
    query = of(COUNT, "pay JOIN kinds USING (k)")
    with pytest.raises(AnalysisException, match="the query reads 2 tables, and the changes do not say which"):
        refresh(spark, query, changes=spark.table("pay"))


def test_files_without_partitions(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(QUERY).write.parquet(str(tmp_path / "files"))
    with pytest.raises(AnalysisException, match=r"has no partitions.*Delta Lake or Iceberg, or files in partitions"):
        refresh(spark, target=f"parquet.`{tmp_path}/files`")


def test_a_view_is_no_target(spark: SparkSession) -> None:
    spark.sql(QUERY).createOrReplaceTempView("a_view")
    with pytest.raises(AnalysisException, match="the target a_view is no table that takes MERGE"):
        refresh(spark, target="a_view")


def test_a_table_that_tells_no_changes(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException, match="refused is no table of Delta Lake or Iceberg"):
        slidewise.changes_since(spark, "refused", 3)
    with pytest.raises(TypeError, match="version is '3', but must be a number"):
        slidewise.changes_since(spark, "refused", "3")  # type: ignore[arg-type]
