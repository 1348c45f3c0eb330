"""Whether several tasks may share rows that a task may give otherwise when it runs again."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
from session import settings
from sparks import skip_if_lacking

from semantics.sharing import ONE_TASK, SHARED, Sharing, difference, tasks_of

SHUFFLED = "(SELECT /*+ REPARTITION(5) */ * FROM rows)"
GROUPS = (
    "(SELECT id % 1000 AS g, max(few) AS few, sum(few / 7.0D) AS total, sum(m) AS exact, first(s) AS any, count(*) AS n"
    " FROM rows GROUP BY ALL)"
)
NUMBERED = f"(SELECT *, row_number() OVER (PARTITION BY three ORDER BY few) AS place FROM {SHUFFLED})"
RANKED = f"(SELECT *, rank() OVER (PARTITION BY three ORDER BY few) AS place FROM {SHUFFLED})"
CALLS = "row_number() OVER ({w}), count(*) OVER ({w} ROWS 9 PRECEDING)"

SAME = {
    "columns of a table": f"SELECT id, {CALLS.format(w='ORDER BY d, id')} FROM {SHUFFLED}",
    "random numbers with a seed": f"SELECT id, {CALLS.format(w='ORDER BY u, id')} FROM "
    "(SELECT id, rand(7) AS u, uuid() AS v FROM rows)",
    "rows chosen by such numbers": f"SELECT id, {CALLS.format(w='ORDER BY id')} FROM rows WHERE rand(7) < 0.9",
    "numbers given before a shuffle": "SELECT id, sum(id) OVER (ORDER BY u) FROM "
    "(SELECT /*+ REPARTITION(5) */ id, monotonically_increasing_id() AS u FROM rows)",
    "groups with sums of fractions": f"SELECT g, max(total) OVER (ORDER BY g), {CALLS.format(w='ORDER BY g')} "
    f"FROM {GROUPS}",
    "exact sums": f"SELECT g, {CALLS.format(w='ORDER BY exact, few, n, g')} FROM {GROUPS}",
    "ranks": f"SELECT id, {CALLS.format(w='ORDER BY place, id')} FROM {RANKED}",
    "the first ranks": f"SELECT id, {CALLS.format(w='ORDER BY id')} FROM {RANKED} WHERE place <= 400",
    "joined rows": f"SELECT a.id, {CALLS.format(w='ORDER BY b.d, a.id')} FROM rows a JOIN {SHUFFLED} b ON a.id = b.id",
    "rows that have others": f"SELECT id, {CALLS.format(w='ORDER BY id')} FROM {SHUFFLED} "
    f"WHERE id % 3 < 2 OR few IN (SELECT three FROM {SHUFFLED})",
    "a union": f"SELECT id, {CALLS.format(w='ORDER BY id, h')} FROM "
    f"(SELECT id, h FROM {SHUFFLED} UNION ALL SELECT -1 - g, n FROM {GROUPS})",
    "hopping windows": f"SELECT s, c, {CALLS.format(w='ORDER BY s, k')} FROM (SELECT window.start AS s, three AS k, "
    "count(*) AS c, avg(few) AS m FROM rows GROUP BY window(timestamp_seconds(h % 9000), '1 hour', '1 minute'), three)",
    "sessions": f"SELECT s, {CALLS.format(w='ORDER BY s, k')} FROM (SELECT session_window.start AS s, few AS k "
    "FROM rows GROUP BY session_window(timestamp_seconds(h), '1 minute'), few)",
    "sums of sums": f"SELECT g, sum(total) OVER (ORDER BY g) FROM {GROUPS}",
    "different rows": f"SELECT few, three, {CALLS.format(w='ORDER BY few, three')} FROM "
    f"(SELECT DISTINCT few, three, id % 7 FROM {SHUFFLED})",
    "what another window has looked up": f"SELECT id, sum(new) OVER (ORDER BY few, id) FROM (SELECT *, "
    f"if(few - lag(few) OVER (ORDER BY few, id) > 1, 1, 0) AS new FROM {SHUFFLED})",
    "the first of the rows before": f"SELECT id, max(f) OVER (ORDER BY id) FROM "
    f"(SELECT *, first(s) OVER (ORDER BY few, id ROWS 9 PRECEDING) AS f FROM {SHUFFLED})",
    "exploded arrays": f"SELECT id, e, {CALLS.format(w='ORDER BY e, id')} FROM "
    f"(SELECT id, explode(array(i, l)) AS e FROM {SHUFFLED})",
}

OTHERS = {
    "a sum of fractions": f"SELECT g, {CALLS.format(w='ORDER BY total, g')} FROM {GROUPS}",
    "any value of a group": f"SELECT g, {CALLS.format(w='ORDER BY any, g')} FROM {GROUPS}",
    "what is computed from it": "SELECT g, {} FROM (SELECT *, floor(total) AS f FROM {})".format(
        CALLS.format(w="ORDER BY f, g"), GROUPS
    ),
    "groups chosen by it": f"SELECT g, {CALLS.format(w='ORDER BY g')} FROM {GROUPS} WHERE total > 0",
    "groups of it": f"SELECT f, {CALLS.format(w='ORDER BY f')} FROM "
    f"(SELECT DISTINCT round(total, 3) AS f FROM {GROUPS})",
    "numbers of rows that tie": f"SELECT id, {CALLS.format(w='ORDER BY place, id')} FROM {NUMBERED}",
    "rows chosen by such numbers": f"SELECT id, {CALLS.format(w='ORDER BY id')} FROM {NUMBERED} WHERE place <= 400",
    "numbers given after a shuffle": f"SELECT id, sum(id) OVER (ORDER BY u) FROM "
    f"(SELECT id, monotonically_increasing_id() AS u FROM {SHUFFLED})",
    "some rows": f"SELECT id, {CALLS.format(w='ORDER BY id')} FROM "
    f"(SELECT /*+ REPARTITION(5) */ * FROM (SELECT * FROM {SHUFFLED} LIMIT 1200))",
    "the first rows of an order": f"SELECT id, {CALLS.format(w='ORDER BY id')} FROM "
    "(SELECT /*+ REPARTITION(5) */ * FROM (SELECT * FROM rows ORDER BY few LIMIT 1200))",
    "other values at each call": f"SELECT id, {CALLS.format(w='ORDER BY u, id')} FROM "
    "(SELECT id, reflect('java.util.UUID', 'randomUUID') AS u FROM rows)",
    "what is computed from such values": f"SELECT id, {CALLS.format(w='ORDER BY u, id')} FROM "
    "(SELECT id, length(u) AS u FROM (SELECT id, reflect('java.util.UUID', 'randomUUID') AS u FROM rows))",
    "rows chosen by such values": f"SELECT id, {CALLS.format(w='ORDER BY id')} FROM rows "
    "WHERE reflect('java.util.UUID', 'randomUUID') > '5'",
    "a sample": f"SELECT id, {CALLS.format(w='ORDER BY id')} FROM "
    f"(SELECT * FROM {SHUFFLED}) TABLESAMPLE (60 PERCENT) REPEATABLE (3)",
    "what a program makes of rows": f"SELECT x, count(*) OVER () FROM "
    f"(SELECT TRANSFORM(id) USING 'cat' AS (x) FROM {SHUFFLED})",
    "any value, of all rows": f"SELECT g, max(any) OVER () FROM {GROUPS}",
    "any value, of the rows before": f"SELECT g, max(any) OVER (ORDER BY g ROWS 3 PRECEDING) FROM {GROUPS}",
    "whole numbers made of fractions": f"SELECT g, sum(floor(total)) OVER (ORDER BY g) FROM {GROUPS}",
    "numbers of rows sorted again": f"SELECT id, sum(id) OVER (ORDER BY u) FROM "
    f"(SELECT id, monotonically_increasing_id() AS u FROM (SELECT * FROM {SHUFFLED} SORT BY few))",
    "looked up without an order": f"SELECT id, max(f) OVER (ORDER BY id) FROM "
    f"(SELECT *, first(s) OVER (PARTITION BY three) AS f FROM {SHUFFLED})",
    "recursion": f"""WITH RECURSIVE t(n, x) AS (
        SELECT g, total FROM {GROUPS} UNION ALL SELECT n + 1000, x + 1 FROM t WHERE n < 1000
      ) SELECT n, {CALLS.format(w="ORDER BY x, n")} FROM t""",
    "a union with it": f"SELECT t, {CALLS.format(w='ORDER BY t, n')} FROM "
    f"(SELECT d AS t, h AS n FROM {SHUFFLED} UNION ALL SELECT total, g FROM {GROUPS})",
}


KEPT = "spark.sql.adaptive.coalescePartitions.enabled"
ADAPTIVE = "spark.sql.adaptive.enabled"


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("query", SAME.values(), ids=SAME)
def test_rows_that_are_the_same(sharing: Sharing, query: str, adaptive: str) -> None:
    found, frame = sharing.run(query, {ADAPTIVE: adaptive, KEPT: "false"})
    assert tasks_of(frame)[0] > 1
    expected, _ = sharing.run(query, ONE_TASK | {ADAPTIVE: adaptive, KEPT: "false"})
    assert difference(found, expected, in_order=False) is None


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("query", OTHERS.values(), ids=OTHERS)
def test_rows_that_may_be_others(sharing: Sharing, query: str, adaptive: str) -> None:
    """Several tasks could miss rows that have moved from one range to another in between."""
    skip_if_lacking(query)
    found, frame = sharing.run(query, {ADAPTIVE: adaptive, KEPT: "false"})
    assert tasks_of(frame)[0] == 1
    if "row_number" in query.split(" FROM ")[0]:
        assert sorted(row[1] for row in found) == list(range(1, len(found) + 1))


@pytest.mark.parametrize("deterministic", [True, False])
def test_functions_of_the_user(spark: SparkSession, sharing: Sharing, deterministic: bool) -> None:
    hashed = udf(lambda x: x * 7919 % 1009, "bigint")
    spark.udf.register("hashed", hashed if deterministic else hashed.asNondeterministic())
    query = f"SELECT id, {CALLS.format(w='ORDER BY u, id')} FROM (SELECT id, hashed(id) AS u FROM rows)"
    found, frame = sharing.run(query, {})
    assert (tasks_of(frame)[0] > 1) == deterministic
    expected, _ = sharing.run(query, ONE_TASK)
    assert difference(found, expected, in_order=False) is None


def test_cached_rows_of_a_limit(spark: SparkSession, sharing: Sharing) -> None:
    """Which rows these are depends on the order in which blocks arrive."""
    some = spark.table("rows").limit(900).cache()
    try:
        spark.table("rows").union(some).createOrReplaceTempView("more")
        found, frame = sharing.run(f"SELECT id, {CALLS.format(w='ORDER BY id')} FROM more", {})
        assert tasks_of(frame) == [1]
        assert sorted(row[1] for row in found) == list(range(1, 2401))
    finally:
        some.unpersist()


def test_rows_of_an_rdd(spark: SparkSession, sharing: Sharing) -> None:
    """It may hide a plan of Spark."""
    query = f"SELECT g, {CALLS.format(w='ORDER BY g')} FROM t"
    with settings(spark, SHARED | {KEPT: "false"}):
        rdd = spark.sql(f"SELECT g, total FROM {GROUPS}").rdd
        spark.createDataFrame(rdd, "g long, total double").createOrReplaceTempView("t")
        assert tasks_of(sharing.run(query, {})[1])[0] == 1
        spark.createDataFrame(rdd, "g long, total double").localCheckpoint().createOrReplaceTempView("t")
        found, frame = sharing.run(query, {})
        assert tasks_of(frame)[0] > 1
        assert [row[1] for row in sorted(found)] == list(range(1, 1001))


@pytest.mark.parametrize(("order", "shared"), [("g", True), ("total, g", False)])
def test_cached_rows(spark: SparkSession, sharing: Sharing, order: str, shared: bool) -> None:
    """What is lost from the cache is made again."""
    with settings(spark, SHARED | {KEPT: "false"}):
        cached = spark.sql(f"SELECT * FROM {GROUPS}").cache()
        cached.createOrReplaceTempView("groups")
    try:
        found, frame = sharing.run(f"SELECT g, {CALLS.format(w=f'ORDER BY {order}')} FROM groups", {})
        assert len(found) == 1000
        assert (tasks_of(frame)[0] > 1) == shared
    finally:
        cached.unpersist()
