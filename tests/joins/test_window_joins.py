"""Windows over another table beside Spark's own plan: forms of queries, results without rows, writes, clients."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from plans import plan
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sf
from session import run_on_connect, settings
from sparks import needs_connect_server, needs_spark

import slidewise
from joins.alone import IN_SPARK

L = "id int, k int, ts int, lo int, hi int, s string"
E = "k int, ts int, v int, s string"
RANGE = "e.k = l.k AND e.ts >= l.ts - 5 AND e.ts < l.ts"
NEWEST = f"FROM e WHERE {RANGE} ORDER BY e.ts DESC LIMIT 1"
OPERATOR = re.compile(r"\b(?:WindowJoin|AsOfJoin) ")


LEFT = [
    (i, *(None if (i * m) % 11 == 3 else (i * m) % n for m, n in ((1, 4), (7, 20), (5, 20), (3, 25))), "abA"[i % 3])
    for i in range(40)
]
RIGHT = [
    (*(None if (i * m) % 13 == 3 else (i * m) % n for m, n in ((1, 3), (5, 20), (3, 9))), "abB"[i % 3])
    for i in range(60)
]


def create_views(spark: SparkSession) -> None:
    spark.createDataFrame(LEFT, L).createOrReplaceTempView("l")
    spark.createDataFrame(RIGHT, E).createOrReplaceTempView("e")


@pytest.fixture(autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    create_views(spark)
    spark.createDataFrame(RIGHT, E).filter("k < 0").createOrReplaceTempView("nothing")
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        yield


def _answers(spark: SparkSession, sql: str) -> tuple[DataFrame, list[str]]:
    frame = spark.sql(sql)
    return frame, sorted(map(repr, frame.collect()))


def check(spark: SparkSession, sql: str, operators: int = 1) -> None:
    on, found = _answers(spark, sql)
    assert len(OPERATOR.findall(plan(on))) == operators, plan(on)
    with settings(spark, IN_SPARK):
        off, expected = _answers(spark, sql)
    assert found == expected
    assert on.schema == off.schema


def _lateral(query: str, join: str = "LEFT JOIN") -> str:
    return f"SELECT l.*, f.* FROM l {join} LATERAL ({query}) f" + (" ON true" if join == "LEFT JOIN" else "")


WITHOUT_ROWS = {
    "a column of the outer row": _lateral(f"SELECT l.id AS own, e.ts AS newest {NEWEST}"),
    "a column of both": _lateral(f"SELECT l.id + e.ts AS x {NEWEST}"),
    "a constant": _lateral(f"SELECT 1 AS one, e.ts AS newest {NEWEST}"),
    "a value for nulls above the row": _lateral(f"SELECT coalesce(x, -1) AS y FROM (SELECT e.ts AS x {NEWEST})"),
    "a constant above the row": _lateral(f"SELECT 7 AS y FROM (SELECT e.ts AS x {NEWEST})"),
    "scalar: the outer row": f"SELECT id, (SELECT l.id {NEWEST}) FROM l",
    "scalar: both": f"SELECT id, (SELECT l.id + e.ts {NEWEST}) FROM l",
    "scalar: a value for nulls above the row": (
        f"SELECT id, (SELECT coalesce(x, -1) FROM (SELECT e.ts AS x {NEWEST})) FROM l"
    ),
    "inner": _lateral(f"SELECT l.id AS own, l.id + e.ts AS x {NEWEST}", ","),
    "collections": _lateral(
        f"SELECT sort_array(collect_list(v)), count(DISTINCT v), approx_count_distinct(v) FROM e WHERE {RANGE}"
    ),
    "a sketch": _lateral(
        f"SELECT hll_sketch_estimate(hll_sketch_agg(v)), histogram_numeric(v, 3) IS NULL FROM e WHERE {RANGE} AND v > 7"
    ),
    "functions that the optimizer replaces": _lateral(
        f"SELECT count_if(v > 3), regr_count(v, k), bool_or(v > 3), count(nullif(v, 3)) FROM e WHERE {RANGE}"
    ),
    "a sum or zero": f"SELECT id, (SELECT coalesce(sum(v), 0) + count(*) FROM e WHERE {RANGE}) FROM l",
    "an empty table": _lateral("SELECT sum(v), count(*) FROM nothing AS e WHERE e.k = l.k AND e.ts < l.ts"),
}


@pytest.mark.parametrize("what", WITHOUT_ROWS)
def test_without_rows(spark: SparkSession, what: str) -> None:
    check(spark, WITHOUT_ROWS[what])


_SUMS = "SELECT sum(v) AS x, count(*) AS n, max(s) AS m FROM e WHERE"
_OF_L = f"SELECT l.*, (SELECT sum(v) FROM e WHERE {RANGE}) AS x FROM l"
FORMS: dict[str, tuple[str, int]] = {
    "bounds that move back": (_lateral(f"{_SUMS} e.k = l.k AND e.ts BETWEEN l.lo AND l.hi"), 1),
    "bounds that move back, without keys": (
        "SELECT id, (SELECT struct(sum(v), min(v), median(v), count(DISTINCT v)) FROM e"
        " WHERE e.ts BETWEEN l.lo AND l.hi) FROM l",
        1,
    ),
    "three ranges": (
        f"SELECT id, (SELECT sum(v) FROM e WHERE {RANGE}), (SELECT max(v) FROM e WHERE e.k = l.k AND e.ts > l.ts),"
        f" (SELECT count(*) FROM e WHERE e.k = l.k AND e.ts BETWEEN l.lo AND l.hi) FROM l",
        1,
    ),
    "JOIN LATERAL ON true, twice": (
        f"SELECT id, f.*, g.* FROM l JOIN LATERAL ({_SUMS} {RANGE}) f ON true"
        f" JOIN LATERAL (SELECT e.ts AS t {NEWEST}) g ON true",
        1,
    ),
    "a time in two widths": (_lateral(f"{_SUMS} e.k = l.k AND e.ts > l.ts - 2L AND e.ts < l.hi"), 1),
    "a time in two widths, ordered by the narrow one": (
        "SELECT id, (SELECT e.ts FROM e WHERE e.k = l.k AND e.ts > l.ts - 2L AND e.ts <= l.hi"
        " ORDER BY e.ts DESC LIMIT 1) FROM l",
        1,
    ),
    "a bound that is a result": (
        f"SELECT id, f.x, g.* FROM l, LATERAL ({_SUMS} {RANGE}) f,"
        " LATERAL (SELECT min(v) FROM e WHERE e.k = l.k AND e.ts < f.x) g",
        2,
    ),
    "as-of rows, then sums from them on": (
        f"SELECT id, f.*, g.* FROM l, LATERAL (SELECT e.ts AS t {NEWEST}) f,"
        f" LATERAL ({_SUMS} e.k = l.k AND e.ts >= f.t) g",
        2,
    ),
    "an outer filter of results": (f"SELECT * FROM ({_OF_L}) WHERE k = 2 AND x > 4", 1),
    "WHERE with two subqueries": (
        f"SELECT * FROM l WHERE (SELECT sum(v) FROM e WHERE {RANGE}) > 9 OR (SELECT count(*) FROM e WHERE {RANGE}) = 0",
        1,
    ),
    "a join by the same key above": (f"SELECT /*+ MERGE(a) */ a.id, a.x, e.v FROM ({_OF_L}) a JOIN e ON a.k = e.k", 1),
    "a window by the same key above": (
        f"SELECT id, x, sum(id) OVER (PARTITION BY k ORDER BY ts, id) FROM ({_OF_L})",
        1,
    ),
    "ORDER BY the key above": (f"SELECT id, k, ts, x FROM ({_OF_L}) ORDER BY k, ts, id", 1),
    "a CTE twice": (f"WITH q AS ({_OF_L}) SELECT a.id, a.x, b.x FROM q AS a JOIN q AS b ON a.id = b.id + 1", 2),
    "UNION and EXCEPT": (
        f"SELECT id, x FROM ({_OF_L}) UNION ALL (SELECT id, x FROM ({_OF_L}) EXCEPT SELECT id, 5 FROM l)",
        2,
    ),
    "no result is read": (f"SELECT id FROM ({_OF_L})", 0),
    "no result of an inner as-of join is read": (f"SELECT id FROM l, LATERAL (SELECT e.ts AS t {NEWEST}) f", 1),
    "of itself": ("SELECT l.*, (SELECT sum(v) FROM e WHERE e.k = l.k AND e.ts < l.ts) FROM e AS l", 1),
    "of groups": (
        "SELECT k, (SELECT sum(v) FROM e WHERE e.k = g.k AND e.ts < g.m)"
        " FROM (SELECT k, max(ts) AS m FROM l GROUP BY k) g",
        1,
    ),
    "keys of several types": (_lateral(f"{_SUMS} e.s = l.s AND bigint(e.k) <=> l.k AND e.ts <= l.ts"), 1),
    "structs and arrays as keys": (
        _lateral(f"{_SUMS} struct(e.k, e.s) <=> struct(l.k, l.s) AND array(e.k) = array(l.k) AND e.ts <= l.ts"),
        1,
    ),
    "GROUP BY of a left join": (
        "SELECT l.id, l.k, l.ts, sum(e.v), count(e.v), count(*), max(e.s)"
        f" FROM l LEFT JOIN e ON {RANGE} GROUP BY l.id, l.k, l.ts",
        1,
    ),
    "GROUP BY of a left join, and functions that the optimizer replaces": (
        "SELECT l.k, l.ts, count_if(e.v > 3), count(nullif(e.v, 3)), sum(e.v) FILTER (WHERE nullif(e.v, 3) > 2)"
        f" FROM l LEFT JOIN e ON {RANGE} GROUP BY l.k, l.ts",
        1,
    ),
    "GROUP BY of equal rows": (
        "SELECT l.k, l.ts, sum(e.v), count(*), avg(e.v), first(e.k), last(e.k), max(e.s)"
        " FROM (SELECT k, ts % 3 AS ts FROM l) l"
        f" LEFT JOIN e ON {RANGE} GROUP BY l.k, l.ts",
        1,
    ),
    "conditions that differ": (
        f"SELECT id, (SELECT sum(v) FROM e WHERE {RANGE} AND s = 'a'),"
        f" (SELECT count(*) FROM e WHERE {RANGE} AND s = 'b'),"
        " (SELECT max(v) FROM e WHERE e.k = l.k AND e.ts > l.ts AND v < 6 AND s = 'a') FROM l",
        1,
    ),
    "ties in an order of their own": (
        _lateral(f"SELECT e.v, e.s FROM e WHERE {RANGE} ORDER BY e.ts DESC, e.v NULLS LAST, e.s DESC LIMIT 1"),
        1,
    ),
    "ties of the oldest row, as a scalar": (
        "SELECT id, (SELECT e.v FROM e WHERE e.k = l.k AND e.ts > l.ts ORDER BY e.ts, e.v DESC LIMIT 1) FROM l",
        1,
    ),
    "HAVING": (_lateral(f"{_SUMS} {RANGE} HAVING count(*) > 2 AND max(v) > l.k"), 1),
    "HAVING, inner": (_lateral(f"{_SUMS} {RANGE} HAVING count(*) <> 2", ","), 1),
    "HAVING of a scalar subquery": (
        f"SELECT id, (SELECT count(*) FROM e WHERE {RANGE} HAVING count(*) <> 3) FROM l",
        1,
    ),
    "GROUP BY with aggregates of left columns": (
        "SELECT l.id, l.k, first(l.k), max(l.ts), sum(e.v), count(l.ts), avg(l.ts / 3), collect_list(l.k),"
        " count(DISTINCT l.k),"
        " sum(l.ts) FILTER (WHERE e.v > 3), sum(e.v) FILTER (WHERE l.k = 1), percentile(l.ts, 0.5), max_by(l.k, l.ts)"
        f" FROM l LEFT JOIN e ON {RANGE} GROUP BY l.id, l.k, l.ts",
        1,
    ),
    "GROUP BY of equal rows with aggregates of left columns": (
        "SELECT l.k, l.ts, sum(l.k / 7), count(l.ts), any_value(l.ts), max(e.v)"
        f" FROM (SELECT k, ts % 3 AS ts FROM l) l LEFT JOIN e ON {RANGE} GROUP BY l.k, l.ts",
        1,
    ),
    "GROUP BY of an inner join with aggregates of left columns": (
        f"SELECT l.id, sum(l.ts), count(l.k) FROM l JOIN e ON {RANGE} GROUP BY l.id, l.k, l.ts",
        1,
    ),
    "GROUP BY of a join, and bounds that overflow for rows without partners": (
        "SELECT l.id, l.k, l.ts, sum(e.v), count(e.v) FROM (SELECT id, IF(id % 4 = 0, -1, k) AS k,"
        " IF(id % 4 = 0, IF(id % 8 = 0, -2147483648, 2147483647), ts) AS ts FROM l) l"
        " LEFT JOIN e ON e.k = l.k AND e.ts >= l.ts - 5 AND e.ts < l.ts + 5 GROUP BY l.id, l.k, l.ts",
        1,
    ),
    "GROUP BY of a join, and an upper bound that overflows for rows above which there are none": (
        "SELECT l.id, l.k, l.ts, sum(e.v) FROM (SELECT id, k, IF(id % 4 = 0, 2147483647, ts) AS ts FROM l) l"
        " JOIN e ON e.k = l.k AND e.ts >= l.ts - 5 AND e.ts < l.ts + 5 GROUP BY l.id, l.k, l.ts",
        1,
    ),
    "GROUP BY of an inner join": (
        f"SELECT l.id, sum(e.v) + 1 AS x FROM l JOIN e ON {RANGE} WHERE e.v > 1"
        " GROUP BY l.id, l.k, l.ts HAVING count(*) > 1",
        1,
    ),
}


@pytest.mark.parametrize("what", FORMS)
def test_forms(spark: SparkSession, what: str) -> None:
    check(spark, *FORMS[what])


def test_arrays_evaluate_the_calls_that_they_can(spark: SparkSession) -> None:
    sql = _lateral(f"{_SUMS} {RANGE}")
    assert re.search(r"WindowJoin \[array-kernels, [^]]*two-stacks-lite", plan(spark.sql(sql)))
    check(spark, sql)


def test_writes_and_caches(spark: SparkSession) -> None:
    written = {}
    for enabled in ("true", "false"):
        with settings(spark, {"spark.slidewise.enabled": enabled}):
            name = f"written_{enabled}"
            spark.sql(f"CREATE OR REPLACE TEMP VIEW x AS {_OF_L}")
            spark.sql(f"CREATE TABLE {name} USING parquet AS SELECT id, x FROM x")
            spark.sql(f"INSERT INTO {name} SELECT id, (SELECT bigint(e.ts) {NEWEST}) FROM l")
            cached = spark.sql("SELECT id, x FROM x").cache()
            written[enabled] = [
                spark.table(name).schema,
                *(sorted(map(repr, frame.collect())) for frame in (spark.table(name), cached)),
            ]
            assert cached.count() == 40
            assert "InMemoryTableScan" in plan(spark.sql("SELECT id, x FROM x"))
            cached.unpersist()
            spark.sql(f"DROP TABLE {name}")
    assert written["true"] == written["false"]


def test_functions_in_python_of_a_small_left_table(spark: SparkSession, tmp_path: Path) -> None:
    """Their values are the keys, a bound and a filter of left rows whose limits filter the right rows."""
    spark.sql("SELECT id, id % 3 AS k, id AS ts FROM range(9)").write.parquet(str(tmp_path / "left"))
    spark.sql("SELECT id % 3 AS k, id AS ts FROM range(20000)").write.parquet(str(tmp_path / "right"))
    same = sf.udf(lambda value: value, "long")
    left = spark.read.parquet(str(tmp_path / "left"))
    right = spark.read.parquet(str(tmp_path / "right"))
    fields = left.withColumn("s", sf.struct("k")).withColumn("s", sf.col("s").withField("k", same("k")))
    for rows in (
        left.withColumn("k", same("k")),
        left.withColumn("ts", same("ts")),
        left.where(same("id") > 2),
        fields.withColumn("k", sf.col("s.k")),
    ):
        joined = slidewise.window_join(rows, right, {"n": ("count(*)", Window.rangeBetween(-5, 0))}, on="ts", by="k")
        assert OPERATOR.search(plan(joined))
        assert {row.id: row.n for row in joined.collect()} == {row.id: int(row.id >= 3) for row in rows.collect()}


def test_settings_of_a_running_session(spark: SparkSession) -> None:
    for key in ("spark.slidewise.enabled", "spark.slidewise.windowJoins.enabled"):
        with settings(spark, {key: "false"}):
            assert not OPERATOR.search(plan(spark.sql(_OF_L)))
        assert OPERATOR.search(plan(spark.sql(_OF_L)))


def _by_columns(session: Any) -> DataFrame:
    left, right = session.table("l").alias("l"), session.table("e").alias("e")
    same = (sf.col("e.k") == sf.col("l.k").outer()) & (sf.col("e.ts") < sf.col("l.ts").outer())
    sums = right.where(same).select(sf.sum("v").alias("x"), sf.count("*").alias("n"))
    return left.lateralJoin(sums.alias("f"), how="left").select(
        "l.id", "x", "n", right.where(same).select(sf.max("s")).scalar().alias("m")
    )


@needs_spark("4.0", "no lateralJoin of DataFrames")
def test_data_frames(spark: SparkSession) -> None:
    frame = _by_columns(spark)
    found = sorted(map(repr, frame.collect()))
    assert len(OPERATOR.findall(plan(frame))) == 1, plan(frame)
    with settings(spark, {"spark.slidewise.enabled": "false"}):
        assert found == sorted(map(repr, _by_columns(spark).collect()))


def print_answers(spark: SparkSession) -> None:
    """Prints the answers and whether Slidewise's operator is in the plans, for the test over Connect."""
    create_views(spark)
    for frame in (spark.sql(_OF_L), _by_columns(spark)):
        assert OPERATOR.search(frame._explain_string())
        print(sorted(map(repr, frame.collect())))


@needs_connect_server
def test_connect(spark: SparkSession, connect_server: str, tmp_path: Path) -> None:
    # In a process of its own: a client changes what the functions of columns return for good.
    code = """
import sys
from pyspark.sql import SparkSession
from joins import test_window_joins
test_window_joins.print_answers(SparkSession.builder.remote(sys.argv[1]).getOrCreate())
"""
    done = run_on_connect(code, connect_server, tmp_path)
    expected = [sorted(map(repr, frame.collect())) for frame in (spark.sql(_OF_L), _by_columns(spark))]
    assert done.stdout.splitlines() == list(map(str, expected)), done.stderr[-3000:]
