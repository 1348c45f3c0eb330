"""Null bounds, rows of nulls, subqueries that read each other, and errors of rows without a partner."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from plans import plan
from pyspark.sql import SparkSession
from session import settings
from sparks import needs_spark

from joins.alone import IN_SPARK
from joins.test_window_joins import OPERATOR


@pytest.fixture(autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    left = [(1, 1, 5, None, 3), (2, 1, 2, 4, -1), (3, 2, 9, None, None), (4, 3, 1, 8, 7), (5, None, 4, None, 2)]
    left += [(1, 1, 5, None, 3), (6, 1, 6, None, -1), (7, 1, 7, None, None), (8, 1, 10, None, 1)]
    right = [(1, t, v) for t, v in ((1, 4), (3, None), (6, 5), (9, 2), (12, 1))] + [(2, 9, None), (2, 30, 8), (4, 1, 1)]
    spark.createDataFrame(left, "id int, k int, ts int, til int, x int").createOrReplaceTempView("l")
    spark.createDataFrame(right, "k int, ts int, v int").createOrReplaceTempView("e")
    texts = [(1, "3", 1), (1, "7", 2), (9, "none", 3)]
    spark.createDataFrame(texts, "k int, s string, v int").createOrReplaceTempView("texts")
    with settings(spark, {"spark.slidewise.windowJoins.filterRatio": "0", "spark.sql.adaptive.enabled": "false"}):
        yield


def check(spark: SparkSession, sql: str, operators: int | None) -> None:
    on = spark.sql(sql)
    found = sorted(map(repr, on.collect()))
    if operators is not None:
        assert len(OPERATOR.findall(plan(on))) == operators, plan(on)
    with settings(spark, IN_SPARK):
        assert found == sorted(map(repr, spark.sql(sql).collect()))


BOUNDS = ["coalesce(l.til, 20)", "nvl(l.til, l.ts + 1)", "greatest(l.til, l.ts)", "least(l.til, l.x)", "l.ts + l.x"]
BOUNDS += ["IF(l.x > 0, l.ts + 1, l.til)", "CASE WHEN l.til IS NULL THEN 11 ELSE l.til - 1 END", "ifnull(l.til, l.x)"]


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_bound_of_rows_with_nulls(spark: SparkSession, bound: str) -> None:
    """The right rows are filtered by the outermost bound of the left rows."""
    for comparison in ("<", ">="):
        check(
            spark,
            f"SELECT id, (SELECT count(*) FROM e WHERE e.k = l.k AND e.ts {comparison} {bound}) AS n FROM l",
            1,
        )


FILTERS = {
    "count(*) FILTER (WHERE l.x > 0 AND e.v IS NULL)": 0,
    "sum(CASE WHEN l.x > 0 AND e.v IS NULL THEN 1 ELSE 0 END)": 0,
    "count(*) FILTER (WHERE coalesce(e.ts, 0) < l.x AND e.v IS NULL)": 0,
    "count(*) FILTER (WHERE l.x > 0 AND e.v > 1)": 1,
    "count(*) FILTER (WHERE e.ts > l.x AND e.v IS NULL)": 1,
    "sum(e.v) FILTER (WHERE e.ts > l.x)": 1,
    "count(*) FILTER (WHERE l.x > 0)": 1,
}


@pytest.mark.parametrize("call", FILTERS)
def test_a_filter_that_rows_of_nulls_may_meet(spark: SparkSession, call: str) -> None:
    groups = "GROUP BY l.id, l.k, l.ts, l.x"
    check(
        spark,
        f"SELECT l.id, {call} AS n FROM l LEFT JOIN e ON e.k = l.k AND e.ts < l.ts {groups}",
        FILTERS[call],
    )
    check(spark, f"SELECT l.id, {call} AS n FROM l JOIN e ON e.k = l.k AND e.ts < l.ts {groups}", None)


@pytest.mark.parametrize("call", ["max(concat('v', e.v))", "sum(e.v)", "collect_list(e.v)", "max_by(e.v, e.ts)"])
def test_a_left_row_that_meets_nothing_among_others(spark: SparkSession, call: str) -> None:
    """Frames that grow with the time of the left rows, and left rows between them whose frames are empty."""
    call = f"sort_array({call})" if "list" in call else call
    check(spark, f"SELECT id, (SELECT {call} FROM e WHERE e.k = l.k AND e.ts <= l.ts AND l.x > 0) AS v FROM l", 1)
    check(
        spark,
        f"SELECT l.id, {call} AS v FROM l LEFT JOIN e ON e.k = l.k AND e.ts <= l.ts AND l.x > 0 "
        "GROUP BY l.id, l.k, l.ts, l.x",
        1,
    )


_COUNT = "SELECT count(*) AS n FROM e WHERE e.k = l.k AND"
_NEWEST = "SELECT e.ts FROM e WHERE e.k = l.k AND e.ts <= l.ts ORDER BY e.ts DESC LIMIT 1"
READ_EACH_OTHER = [
    f"SELECT * FROM l LEFT JOIN LATERAL ({_COUNT} e.ts < l.ts) f ON true LEFT JOIN LATERAL ({_COUNT} e.ts >= l.ts) g "
    "ON g.n > f.n",
    f"SELECT * FROM l, LATERAL ({_COUNT} e.ts < l.ts) f, LATERAL ({_COUNT} e.ts >= l.ts HAVING count(*) > f.n) g",
    f"SELECT l.id, f.ts, g.d FROM l LEFT JOIN LATERAL ({_NEWEST}) f ON true LEFT JOIN LATERAL "
    "(SELECT e.ts - f.ts AS d FROM e WHERE e.k = l.k AND e.ts > l.ts ORDER BY e.ts LIMIT 1) g ON true",
    f"SELECT l.id, f.ts, g.n FROM l LEFT JOIN LATERAL ({_NEWEST}) f ON true "
    f"LEFT JOIN LATERAL ({_COUNT} e.ts >= f.ts) g ON true",
]


@pytest.mark.parametrize("sql", READ_EACH_OTHER)
def test_a_subquery_that_reads_the_one_before(spark: SparkSession, sql: str) -> None:
    check(spark, sql, None)


OTHERS = {
    "a subquery in an aggregate": "SELECT l.id, sum(e.v * (SELECT max(x) FROM l)) AS s FROM l JOIN e "
    "ON e.k = l.k AND e.ts < l.ts GROUP BY l.id, l.k, l.ts",
    "a subquery in a filter": "SELECT l.id, count(*) FILTER (WHERE e.v > (SELECT min(v) FROM e)) AS n FROM l JOIN e "
    "ON e.k = l.k AND e.ts < l.ts GROUP BY l.id, l.k, l.ts",
    "a subquery in an aggregate of the left table": "SELECT l.id, sum(l.x + (SELECT max(x) FROM l)) AS s FROM l JOIN e "
    "ON e.k = l.k AND e.ts < l.ts GROUP BY l.id, l.k, l.ts, l.x",
    "a time that fails for rows without a partner": "SELECT l.id, sum(e.v) AS s FROM l JOIN texts e ON e.k = l.k AND "
    "CAST(e.s AS INT) < l.ts GROUP BY l.id, l.k, l.ts",
    "a sum that fails for rows without a partner": "SELECT l.id, sum(e.v) AS s FROM l JOIN (SELECT k, v, "
    "IF(k = 4, 2147483647, ts) AS a, ts AS b FROM e) e ON e.k = l.k AND e.a + e.b < l.ts GROUP BY l.id, l.k, l.ts",
    "a filter above another": "SELECT l.id, count(*) AS n FROM (SELECT * FROM (SELECT l.*, t.s, t.v FROM l "
    "JOIN texts t ON t.v < l.ts) WHERE s RLIKE '^[0-9]+$') l WHERE CAST(s AS INT) > 2 GROUP BY l.id, l.k, l.ts",
}


@pytest.mark.parametrize("what", OTHERS)
def test_rows_that_must_not_fail(spark: SparkSession, what: str) -> None:
    check(spark, OTHERS[what], None)


def test_filters_above_a_join_stay_in_their_order(spark: SparkSession) -> None:
    texts = spark.sql("SELECT k, s, v FROM texts UNION ALL SELECT 1, 'none', 4")
    joined = spark.table("l").alias("l").join(texts.alias("t"), on="k").where("t.v < l.ts")
    found = joined.where("s RLIKE '^[0-9]+$'").where("CAST(s AS INT) > 2").groupBy("l.id", "k", "l.ts").count()
    assert sorted(map(tuple, found.collect()))[:2] == [(1, 1, 5, 4), (2, 1, 2, 1)]


COLLATED = {
    "SELECT l.c, count(*) AS n FROM {l} l JOIN {e} e ON e.c = l.c COLLATE UTF8_BINARY AND e.ts < l.ts "
    "GROUP BY l.c, l.ts": 0,
    "SELECT l.ts, count(DISTINCT l.c COLLATE UTF8_BINARY) AS n FROM {l} l JOIN {e} e ON e.c COLLATE UTF8_LCASE = l.c "
    "AND e.ts < l.ts GROUP BY l.c, l.ts": 0,
    "SELECT upper(l.c) AS c, count(*) AS n FROM {l} l JOIN {e} e ON e.c COLLATE UTF8_LCASE = l.c AND e.ts < l.ts "
    "GROUP BY l.c, l.ts": 1,
}


@needs_spark("4.0", "collations are of 4.0")
@pytest.mark.parametrize("sql", COLLATED)
def test_groups_of_texts_that_are_equal_by_their_collation(spark: SparkSession, sql: str) -> None:
    left = "(SELECT CAST(c AS STRING) COLLATE UTF8_LCASE AS c, 5 AS ts FROM VALUES ('a'), ('A'), ('b') AS t(c))"
    right = "(SELECT * FROM VALUES ('a', 1), ('a', 2), ('A', 3), ('B', 1) AS t(c, ts))"
    check(spark, sql.format(l=left, e=right), COLLATED[sql])
