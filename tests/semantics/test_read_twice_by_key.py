"""Windows over whole partitions of a table in columns, which is read twice instead of shuffled if it has few keys."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from cases import crossed
from pyspark.sql import SparkSession
from session import settings

import slidewise
from semantics.conftest import Fails
from semantics.sharing import ALONE, ROWS, SHARED, Sharing, difference, named
from semantics.twice import READ_TWICE, answer, ask, keys_of, small_splits, tables

__all__ = ["small_splits", "tables"]

pytestmark = pytest.mark.usefixtures("tables", "small_splits")


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables with keys must have eight times as many rows."""
    monkeypatch.setitem(SHARED, "spark.slidewise.parallel.minRows", "20")


KEYS = (
    "three",
    "few",
    "i",
    "l",
    "m",
    "d",
    "s",
    "b",
    "day",
    "ts",
    "ntz",
    "three, d",
    "i, s, day",
    "i % 7",
    "if(few > 100, NULL, few), -d",
    "cast(l AS float)",
    "l IS NULL",
)
CALLS = (
    "count(*) OVER ({w}) AS a, avg(l) OVER ({w}) AS z",
    "sum(i) OVER ({w}) AS a, min(d) OVER ({w}) AS y, max(d) OVER ({w}) AS x, stddev(d) OVER ({w}) AS v",
    "min(day) OVER ({w}) AS a, max(ts) OVER ({w}) AS z, count(s) OVER ({w}) AS y",
    "sum(m) FILTER (WHERE few > 100) OVER ({w}) AS a, bool_or(i > 800) OVER ({w}) AS z",
    "sum(cast(m AS decimal(28, 2))) OVER ({w}) AS a, bool_or(i > 800) OVER ({w}) AS z",
    "max(m) OVER ({w}) AS a, l / sum(l) OVER ({w}) AS z, try_sum(l) OVER ({w}) AS y, corr(i, l) OVER ({w}) AS x",
)


@pytest.mark.parametrize(("keys", "table"), crossed(KEYS, ["parquet", "orc", "cache"]))
def test_keys(sharing: Sharing, keys: str, table: str) -> None:
    calls = CALLS[0].format(w=f"PARTITION BY {keys}")
    frame = ask(sharing, f"SELECT *, {calls} FROM in_{table}")
    distinct = f"SELECT count(*) FROM (SELECT {keys} FROM in_{table} GROUP BY {keys})"
    with settings(sharing.spark, ALONE):
        [expected] = sharing.spark.sql(distinct).collect()
    assert keys_of(frame) == [expected[0]]


@pytest.mark.parametrize(("calls", "keys"), crossed(CALLS, ["three", "s", "few, three"]))
def test_functions(sharing: Sharing, calls: str, keys: str) -> None:
    # The sum has the maximum precision. Spark's generated code makes null of a part that exceeds it.
    read_twice = "decimal(28" not in calls
    query = f"SELECT id, {calls.format(w=f'PARTITION BY {keys}')} FROM in_parquet"
    if read_twice:
        assert keys_of(ask(sharing, query))[0] > 0
    else:
        frame = answer(sharing, query)
        assert not named(frame, READ_TWICE)


def test_batches(sharing: Sharing) -> None:
    query = """SELECT id, i, l, m, d, day, ts, s, sum(i) OVER w AS a, max(m) OVER w AS y, min(ts) OVER w AS x,
        avg(l) OVER w AS z, count(s) OVER w AS v FROM in_parquet WINDOW w AS (PARTITION BY i)"""
    frame = ask(sharing, query)
    [window] = named(frame, "SlidingWindow")
    assert window.supportsColumnar()
    assert window.metrics().apply("numOutputRows").value() == ROWS
    grouped = ask(sharing, f"SELECT a, y, count(*), sum(l), max(z) FROM ({query}) WHERE l > 20 GROUP BY a, y")
    assert named(grouped, "SlidingWindow")[0].supportsColumnar()


MANY = 40_000


@pytest.fixture(scope="module")
def many(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """As many keys as rows, `id`; `run` has them in the order of the rows; `one` has a value for all."""
    path = f"{tmp_path_factory.mktemp('many')}/many"
    spark.range(0, MANY, 1, 4).selectExpr("id", "id DIV 2 AS run", "0 AS one", "id % 10 AS v").write.parquet(path)
    return path


@pytest.mark.parametrize(
    ("key", "rows", "adaptive"),
    crossed(["id", "run", "string(id)"], ["*, v + 1 AS more", "id, run, v"], ["true", "false"]),
)
def test_many_keys(sharing: Sharing, many: str, key: str, rows: str, adaptive: str) -> None:
    query = f"SELECT *, sum(v) OVER (PARTITION BY k) AS t FROM (SELECT {rows}, {key} AS k FROM parquet.`{many}`)"
    changes = {"spark.sql.adaptive.enabled": adaptive}
    frame = answer(sharing, query, changes)
    if key != "string(id)":
        assert keys_of(frame) == [0]
        [window] = named(frame, "SlidingWindow")
        assert window.metrics().apply("numOutputRows").value() == MANY
    else:
        assert not named(frame, READ_TWICE)


def test_one_key(sharing: Sharing, many: str) -> None:
    query = f"SELECT id, v, sum(v) OVER (PARTITION BY one) AS t FROM parquet.`{many}`"
    assert keys_of(ask(sharing, query)) == [1]


RELIED_ON = {
    "a window": "SELECT *, row_number() OVER (PARTITION BY few ORDER BY id) FROM ({rows})",
    "a window by more": "SELECT *, max(t) OVER (PARTITION BY few, three ORDER BY id) FROM ({rows})",
    "an aggregate": "SELECT few, three, sum(t) FROM ({rows}) GROUP BY few, three",
    "a join": "SELECT * FROM ({rows}) a JOIN (SELECT few, max(l) AS m FROM in_orc GROUP BY few) b USING (few)",
    "a shuffle": "SELECT /*+ REPARTITION(few) */ * FROM ({rows})",
    "an order": "SELECT * FROM (SELECT * FROM ({rows}) DISTRIBUTE BY few SORT BY few)",
    "a sort": "SELECT * FROM ({rows}) SORT BY few",
    "a sort of columns above": "SELECT few + 0, t FROM (SELECT few, t + 1 AS t FROM ({rows}) WHERE t > 0) SORT BY few",
    "places": "SELECT *, spark_partition_id() - spark_partition_id() AS p FROM ({rows})",
}


@pytest.mark.parametrize("call", ["sum(l)", "corr(id % 3, id % 5)"])
@pytest.mark.parametrize("above", RELIED_ON.values(), ids=RELIED_ON)
def test_partitions_that_an_operator_relies_on(sharing: Sharing, above: str, call: str) -> None:
    """Arrays evaluate one of the calls, in no order; rows in order evaluate the other."""
    query = above.format(rows=f"SELECT id, few, three, {call} OVER (PARTITION BY few) AS t FROM in_parquet")
    changes = {"spark.sql.autoBroadcastJoinThreshold": "-1"}
    frame = answer(sharing, query, changes)
    assert not named(frame, READ_TWICE)


NOT_RELIED_ON = {
    "a window by others": "SELECT *, row_number() OVER (PARTITION BY three ORDER BY id) FROM ({rows})",
    "an aggregate by others": "SELECT three, sum(t) FROM ({rows}) GROUP BY three",
    "a filter": "SELECT * FROM ({rows}) WHERE t > 10000",
    "an order": "SELECT * FROM ({rows}) ORDER BY few, id",
    "a broadcast": "SELECT * FROM ({rows}) a JOIN (SELECT DISTINCT three FROM in_orc) b USING (three)",
}


@pytest.mark.parametrize("above", NOT_RELIED_ON.values(), ids=NOT_RELIED_ON)
def test_partitions_that_no_operator_relies_on(sharing: Sharing, above: str) -> None:
    query = above.format(rows="SELECT id, few, three, sum(l) OVER (PARTITION BY few) AS t FROM in_parquet")
    frame = answer(sharing, query)
    assert keys_of(frame)[0] > 0


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_two_readers_of_one_exchange(sharing: Sharing, adaptive: str) -> None:
    one = "SELECT few, sum(l) OVER (PARTITION BY few) AS t FROM in_parquet"
    query = f"SELECT * FROM ({one}) UNION ALL SELECT few, t + 1 FROM ({one.replace('sum(l)', 'max(l)')})"
    changes = {"spark.sql.adaptive.enabled": adaptive}
    frame = answer(sharing, query, changes)
    assert not named(frame, READ_TWICE)


@pytest.mark.parametrize("planned", ["true", "false"])
def test_files_by_key(sharing: Sharing, spark: SparkSession, tmp_path: Path, planned: str) -> None:
    """Spark has one file for each key, where its rows are together."""
    query = "SELECT id, three, sum(l) OVER (PARTITION BY three) AS t FROM in_parquet"
    with settings(spark, SHARED | {"spark.sql.optimizer.plannedWrite.enabled": planned}):
        spark.sql(query).write.partitionBy("three").parquet(f"{tmp_path}/by_key")
        spark.sql(query).write.parquet(f"{tmp_path}/plain")
        written = [spark.read.parquet(f"{tmp_path}/{name}").select("id", "three", "t") for name in ("by_key", "plain")]
        expected, _ = sharing.run(query, ALONE)
        for rows in written:
            assert difference([tuple(row) for row in rows.collect()], expected, in_order=False) is None
    if planned == "true":
        assert len(list(tmp_path.glob("by_key/*/*.parquet"))) == 3


def test_rows_of_an_rdd_are_by_key(spark: SparkSession) -> None:
    with settings(spark, SHARED):
        frame = spark.sql("SELECT few, sum(l) OVER (PARTITION BY few) AS t FROM in_parquet")
        parts = frame.rdd.mapPartitions(lambda rows: iter([{row.few for row in rows}])).collect()
    assert sum(map(len, parts)) == len(set().union(*parts))


# A part of a partition overflows, and the whole does not: the rows are read once, and their values added in order.
@pytest.mark.parametrize("ansi", ["true", "false"])
def test_overflow(sharing: Sharing, tmp_path: Path, spark: SparkSession, ansi: str, fails: Fails) -> None:
    most = (1 << 63) - 1
    path = str(tmp_path / "large")
    rows = spark.range(0, 5000, 1, 1).selectExpr(
        "id", "hash(id) AS h", f"if(id < 3, {most} * if(id = 1, -1L, 1L), 0L) AS v", "0 AS k"
    )
    rows.write.parquet(path)
    ask(
        sharing,
        f"SELECT id, h, sum(v) OVER (PARTITION BY k) AS t, try_sum(v) OVER (PARTITION BY k) FROM parquet.`{path}`",
        ansi_enabled=ansi,
    )
    magnitudes = f"SELECT id, h, k, v * if(v < 0, -1, 1) AS v FROM parquet.`{path}`"
    doubled = f"SELECT id, h, sum(v) OVER (PARTITION BY k) AS t FROM ({magnitudes})"
    if ansi == "true":
        with settings(spark, SHARED):
            assert fails(doubled, ansi_enabled=ansi) == "ARITHMETIC_OVERFLOW"
    else:
        ask(sharing, doubled, ansi_enabled=ansi)


def test_a_table_without_rows(sharing: Sharing, spark: SparkSession) -> None:
    with settings(spark, {"spark.slidewise.parallel.minRows": "1"}):
        frame = spark.sql("SELECT *, sum(l) OVER (PARTITION BY few) AS t FROM in_empty")
        assert frame.collect() == []


def test_skewed_keys(sharing: Sharing) -> None:
    """Most rows have one key; the user says that keys are skewed."""
    query = "SELECT id, count(*) OVER (PARTITION BY if(few < 290, 0, few)) AS n FROM in_parquet"
    frame = answer(sharing, query, {"spark.slidewise.parallel.skewedKeys": "expected"})
    assert keys_of(frame)[0] > 0


def test_the_same_answers_as_duckdb(spark: SparkSession, tables: Path) -> None:
    calls = "sum(l) OVER w AS a, count(i) OVER w AS b, max(ts) OVER w AS c, avg(i) OVER w AS d, min(day) OVER w AS e"
    window = "WINDOW w AS (PARTITION BY three, i % 13)"
    with settings(spark, SHARED):
        answers = spark.sql(f"SELECT id, {calls} FROM in_parquet {window}")
        frame = answers.selectExpr("id", "a", "b", "unix_micros(c)", "round(d, 6)", "string(e)")
        found = [tuple(row) for row in frame.collect()]
        assert keys_of(frame)[0] > 0
    oracle = duckdb.sql(
        f"SELECT id, a, b, epoch_us(c), round(d, 6), e::VARCHAR FROM "
        f"(SELECT id, {calls} FROM '{tables}/parquet/*.parquet' {window})"
    ).fetchall()
    assert sorted(map(repr, oracle)) == sorted(map(repr, found))


def test_explain(spark: SparkSession) -> None:
    with settings(spark, SHARED):
        frame = spark.sql("SELECT id, sum(l) OVER (PARTITION BY few) AS t FROM in_parquet")
        [row] = slidewise.explain(frame).collect()
    assert row.slidewise
    assert "read twice" in row.reason
