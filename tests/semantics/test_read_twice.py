"""Windows over a whole table in columns, which is read twice instead of shuffled."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from cases import crossed
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf
from session import settings

import slidewise
from semantics.conftest import Fails
from semantics.sharing import ALONE, ROWS, SHARED, Sharing, difference, named
from semantics.twice import READ_TWICE, answer, ask, keys_of, small_splits, tables

__all__ = ["small_splits", "tables"]

pytestmark = pytest.mark.usefixtures("tables", "small_splits")

FUNCTIONS = (
    "sum(i) OVER (), count(*) OVER (), avg(l) OVER ()",
    "sum(d) OVER (), min(d) OVER (), max(d) OVER (), stddev(d) OVER ()",
    "sum(m) OVER (), avg(m) OVER (), max(m) OVER ()",
    "min(s) OVER (), max(b) OVER (), count(t) OVER ()",
    "min(day) OVER (), max(ts) OVER (), max(ntz) OVER ()",
    "sum(i) FILTER (WHERE few > 100) OVER (), approx_count_distinct(s) OVER ()",
    "i / sum(i) OVER (), max_by(s, id) OVER (), sum(if(id < 0, 1, NULL)) OVER ()",
    "bool_and(few < 3) OVER (), bool_or(i > 800) OVER (), bit_xor(l) OVER ()",
)


@pytest.mark.parametrize(("calls", "table"), crossed(FUNCTIONS, ["parquet", "orc", "cache"]))
def test_functions(sharing: Sharing, calls: str, table: str) -> None:
    frame = ask(sharing, f"SELECT id, {calls} FROM in_{table}")
    assert len(named(frame, READ_TWICE)) == 1


# Results that a vector may have once for a batch, with the other columns of the batch.
@pytest.mark.parametrize("table", ["parquet", "orc"])
def test_batches(sharing: Sharing, table: str) -> None:
    query = f"""SELECT id, i, l, m, d, day, ts, s, sum(i) OVER () AS a, max(s) OVER () AS z, sum(m) OVER () AS y,
        min(ts) OVER () AS x, avg(l) OVER () AS w FROM in_{table}"""
    frame = ask(sharing, query)
    [window] = named(frame, "SlidingWindow")
    assert window.supportsColumnar()
    assert window.metrics().apply("numOutputRows").value() == ROWS
    texts = ask(sharing, f"SELECT id, max(s) OVER () AS z FROM in_{table}")
    assert named(texts, "SlidingWindow")[0].supportsColumnar()
    _, cached = sharing.run("SELECT id, l, sum(l) OVER () AS a FROM numbers_in_cache", {})
    assert named(cached, "SlidingWindow")[0].supportsColumnar()
    grouped = ask(
        sharing,
        f"SELECT a, z, count(*), sum(l), max(w) FROM ({query}) WHERE i > 20 GROUP BY a, z",
    )
    assert named(grouped, "SlidingWindow")[0].supportsColumnar()


@pytest.mark.parametrize(
    ("codegen", "adaptive", "window"),
    crossed(["true", "false"], ["true", "false"], ["", "PARTITION BY few"]),
    ids=lambda value: str(value),
)
def test_without_generated_code(sharing: Sharing, codegen: str, adaptive: str, window: str) -> None:
    frame = ask(
        sharing,
        f"SELECT three, count(*), max(t) FROM (SELECT three, sum(l) OVER ({window}) AS t FROM in_parquet) "
        "GROUP BY three",
        codegen_wholeStage=codegen,
        adaptive_enabled=adaptive,
        parquet_enableVectorizedReader=codegen,
    )
    assert keys_of(frame)[0] > 0


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_a_cached_table_below_an_aggregation(sharing: Sharing, adaptive: str) -> None:
    query = "SELECT t, count(*), sum(l) FROM (SELECT l, sum(l) OVER () AS t FROM numbers_in_cache) GROUP BY t"
    assert named(ask(sharing, query, adaptive_enabled=adaptive), READ_TWICE)


def test_only_what_is_aggregated_is_read_first(sharing: Sharing) -> None:
    _, frame = sharing.run("SELECT id, s, l, sum(l) OVER (), max(few) OVER () FROM in_parquet", {})
    [twice] = named(frame, READ_TWICE)
    read = twice.left().output()
    assert sorted(read.apply(i).name() for i in range(read.size())) == ["few", "l"]
    _, counted = sharing.run("SELECT id, count(*) OVER () FROM in_parquet", {})
    assert named(counted, READ_TWICE)[0].left().output().size() == 0


CHEAP = {
    "names": "SELECT id AS place, l AS v FROM in_parquet",
    "numbers": "SELECT id, l + i * 2 AS v, -d AS e FROM in_parquet",
    "casts": "SELECT id, cast(i AS double) AS v FROM in_orc",
    "partitions": "SELECT id, l AS v FROM in_parts WHERE three IN (0, 2)",
    "a column of partitions": "SELECT id, three AS v FROM in_parts",
    "no rows": "SELECT id, l AS v FROM in_empty",
}


@pytest.mark.parametrize("rows", CHEAP.values(), ids=CHEAP)
def test_what_is_read_twice(sharing: Sharing, rows: str, spark: SparkSession) -> None:
    query = f"SELECT *, sum(v) OVER () AS total, count(*) OVER () AS n FROM ({rows})"
    with settings(spark, {"spark.slidewise.parallel.minRows": "1"}):
        assert named(spark.sql(query), READ_TWICE) or "in_empty" in rows
    ask(sharing, query)


DEAR = {
    "a filter": "SELECT id, l AS v FROM in_parquet WHERE s > 'k5'",
    "a filter of partitions and of rows": "SELECT id, l AS v FROM in_parts WHERE three = 1 AND few > 10",
    "a function of texts": "SELECT id, length(s) AS v FROM in_parquet",
    "a text of numbers": "SELECT id, length(cast(l AS string)) AS v FROM in_parquet",
    "a random number": "SELECT id, l AS v, rand(3) * 0 AS r FROM in_parquet",
    "a file's name": "SELECT id, l AS v, length(input_file_name()) > 0 AS f FROM in_parquet",
    "a join": "SELECT a.id, b.l AS v FROM in_parquet a JOIN in_orc b USING (id)",
    "an aggregate": "SELECT few AS id, sum(l) AS v FROM in_parquet GROUP BY few",
    "a range": "SELECT id, id AS v FROM range(0, 1500, 1, 4)",
    "another window": "SELECT id, sum(l) OVER (ORDER BY id) AS v FROM in_parquet",
    "a sample": "SELECT id, l AS v FROM in_parquet TABLESAMPLE (50 PERCENT) REPEATABLE (3)",
}


@pytest.mark.parametrize("rows", DEAR.values(), ids=DEAR)
def test_what_is_read_once(sharing: Sharing, rows: str) -> None:
    query = f"SELECT *, sum(v) OVER () AS total FROM ({rows})"
    assert not named(answer(sharing, query), READ_TWICE)


ABOVE = {
    "places": "SELECT id, t, monotonically_increasing_id() FROM ({rows})",
    "names of files": "SELECT id, t, length(input_file_name()) FROM ({rows})",
    "a limit below a sum": "SELECT max(t) FROM (SELECT t FROM ({rows}) LIMIT 3)",
}


@pytest.mark.parametrize("above", ABOVE.values(), ids=ABOVE)
def test_what_reads_places_above(sharing: Sharing, above: str) -> None:
    query = above.format(rows="SELECT id, sum(l) OVER () AS t FROM in_parquet")
    found, frame = sharing.run(query, {})
    assert not named(frame, READ_TWICE)
    expected, _ = sharing.run(query, ALONE)
    assert len(found) == len(expected)
    assert sorted(row[1:] for row in found) == sorted(row[1:] for row in expected)


def test_few_rows_are_read_once(sharing: Sharing) -> None:
    query = "SELECT id, sum(l) OVER () FROM in_parquet"
    _, frame = sharing.run(query, {"spark.slidewise.parallel.minRows": "100000"})
    assert not named(frame, READ_TWICE)


# A part of the table overflows, and the whole does not: one task adds the values, as Spark does.
@pytest.mark.parametrize("ansi", ["true", "false"])
def test_overflow(sharing: Sharing, tmp_path: Path, spark: SparkSession, ansi: str, fails: Fails) -> None:
    most = (1 << 63) - 1
    path = str(tmp_path / "large")
    rows = spark.range(0, 600, 1, 1).selectExpr(
        "id", "string(id) AS s", f"if(id < 3, {most} * if(id = 1, -1L, 1L), 0L) AS v"
    )
    rows.write.parquet(path)
    beside_texts = f"SELECT id, max(s) OVER () AS s, sum(v) OVER () AS t FROM parquet.`{path}`"
    assert named(ask(sharing, beside_texts, ansi_enabled=ansi), READ_TWICE)
    fitting = f"SELECT id, try_sum(v) OVER () AS s, sum(v) OVER () AS t FROM parquet.`{path}`"
    ask(sharing, fitting, ansi_enabled=ansi)
    doubled = f"SELECT id, sum(v) OVER () AS t FROM (SELECT id, abs(v) AS v FROM parquet.`{path}`)"
    if ansi == "true":
        with settings(spark, SHARED):
            assert fails(doubled, ansi_enabled=ansi) == "ARITHMETIC_OVERFLOW"
    else:
        ask(sharing, doubled, ansi_enabled=ansi)


def test_rows_of_an_rdd_are_in_one_partition(spark: SparkSession) -> None:
    with settings(spark, SHARED):
        frame = spark.sql("SELECT id, sum(l) OVER () AS t FROM in_parquet")
        assert frame.rdd.getNumPartitions() == 1
        assert frame.rdd.barrier().mapPartitions(list).count() == ROWS


def test_a_table_that_is_written(sharing: Sharing, spark: SparkSession, tmp_path: Path) -> None:
    with settings(spark, SHARED):
        target = str(tmp_path / "target")
        spark.sql("SELECT id, l, sum(l) OVER () AS t FROM in_parquet").write.parquet(target)
        written = spark.read.parquet(target)
        expected, _ = sharing.run("SELECT id, l, sum(l) OVER () AS t FROM in_parquet", ALONE)
        assert difference([tuple(r) for r in written.collect()], expected, in_order=False) is None


def test_the_same_answers_as_duckdb(spark: SparkSession, tables: Path) -> None:
    calls = (
        "sum(l) OVER () AS a, count(i) OVER () AS b, max(s) OVER () AS c, avg(m) OVER () AS d, min(day) OVER () AS e"
    )
    with settings(spark, SHARED):
        frame = spark.sql(f"SELECT id, {calls} FROM in_parquet")
        found = [tuple(row) for row in frame.selectExpr("id", "a", "b", "c", "double(d)", "string(e)").collect()]
        assert named(frame, READ_TWICE)
    oracle = duckdb.sql(
        f"SELECT id, a, b, c, d, e::VARCHAR FROM (SELECT id, {calls} FROM '{tables}/parquet/*.parquet')"
    ).fetchall()
    rounded = [(*row[:4], round(row[4], 6), row[5]) for row in oracle]
    assert sorted(rounded) == sorted((*row[:4], round(row[4], 6), row[5]) for row in found)


def test_explain(spark: SparkSession) -> None:
    with settings(spark, SHARED):
        frame = spark.sql("SELECT id, sum(l) OVER () AS t FROM in_parquet").where(sf.col("id") > 3)
        [row] = slidewise.explain(frame).collect()
    assert row.slidewise
    assert "read twice" in row.reason
