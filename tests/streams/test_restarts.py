"""A query that is begun again: under other settings it goes on, as another query it is refused, and damage is heard."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cases import crossed
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from session import settings
from sparks import needs_window_filter, portable

from streams import killed
from streams.feed import Feed
from streams.run import run

SQL = """
SELECT id, sum(n) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 40 PRECEDING AND CURRENT ROW) AS s,
       count(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW) AS c
FROM events"""
CHANGED = "SLIDEWISE_STREAM_CHECKPOINT_CHANGED"


class Stopped:
    """A query that has taken the first batches, and more that it has not."""

    def __init__(self, spark: SparkSession, folder: Path, store: str = "rocksdb", sql: str = SQL) -> None:
        self.spark, self.folder = spark, folder
        self.feed = Feed(folder / "in", killed.ARROW, killed.SCHEMA)
        self.settings: dict[str, Any] = {
            "spark.sql.streaming.stateStore.providerClass": killed.provider(store),
            "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
            "spark.sql.shuffle.partitions": 2,
        }
        first, second, *self.rest = killed.batches(5, 3, 60)
        self.go_on(sql, [first, second])

    def go_on(self, sql: str, batches: list[Any], schema: str = killed.SCHEMA, delay: str = "10 seconds") -> None:
        for rows in batches:
            self.feed.arrive(rows)
        with settings(self.spark, self.settings):
            rows = self.spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(self.feed.folder))
            rows.withWatermark("ts", delay).createOrReplaceTempView("events")
            run(self.spark.sql(sql), self.folder / "out", self.folder / "checkpoint")

    def assert_right(self, sql: str = SQL) -> None:
        self.feed.table(self.spark, self.feed.rows[:-1], self.folder / "all.parquet").createOrReplaceTempView("events")
        with settings(self.spark, {"spark.slidewise.enabled": "false"}):
            asked = self.spark.sql(sql)
            expected = sorted(map(tuple, asked.collect()), key=str)
        out = self.spark.read.parquet(str(self.folder / "out")).select(asked.columns)
        assert sorted(map(tuple, out.collect()), key=str) == expected

    def assert_rows_are_right_so_far(self) -> None:
        """Whatever failed, what came out belongs to the answer."""
        out = self.spark.read.parquet(str(self.folder / "out")).collect()
        self.feed.table(self.spark, self.feed.rows[:-1], self.folder / "all.parquet").createOrReplaceTempView("events")
        with settings(self.spark, {"spark.slidewise.enabled": "false"}):
            expected = set(map(tuple, self.spark.sql(SQL).collect()))
        assert len(set(map(tuple, out))) == len(out)
        assert set(map(tuple, out)) <= expected

    def refuses(self, sql: str, **more: Any) -> str:
        """The rest of the rows arrives once, however often the query is refused."""
        with pytest.raises(PySparkException) as caught:
            self.go_on(sql, self.rest if len(self.feed.batches) == 2 else [], **more)
        return str(caught.value)


@pytest.mark.long
def test_the_checkpoint_keeps_its_number_of_partitions_and_its_state_store(spark: SparkSession, tmp_path: Path) -> None:
    stopped = Stopped(spark, tmp_path, "rocksdb")
    stopped.settings["spark.sql.shuffle.partitions"] = 5
    stopped.settings["spark.sql.streaming.stateStore.providerClass"] = killed.provider("hdfs")
    stopped.go_on(SQL, stopped.rest)
    stopped.assert_right()
    state = spark.read.format("statestore").load(str(tmp_path / "checkpoint"))
    assert {row[0] for row in state.select("partition_id").distinct().collect()} <= {0, 1}


def test_more_columns_above_the_window_are_another_matter(spark: SparkSession, tmp_path: Path) -> None:
    stopped = Stopped(spark, tmp_path)
    stopped.go_on(f"SELECT *, s + 1 AS t FROM ({SQL}) WHERE id % 2 = 0", [])
    assert stopped.spark.read.parquet(str(tmp_path / "out")).count() > 0


@pytest.mark.parametrize(
    "changes",
    [
        {"40 PRECEDING": "30 PRECEDING", "sum(n)": "max(n)", "PARTITION BY k": "PARTITION BY n"},
        pytest.param({"INTERVAL 1 MINUTE": "INTERVAL 2 MINUTES"}, marks=pytest.mark.long),
        pytest.param({"sum(n)": "sum(id)"}, marks=pytest.mark.long),
        pytest.param(
            {"sum(n) OVER": "sum(n) FILTER (WHERE n > 3) OVER"}, marks=[pytest.mark.long, needs_window_filter]
        ),
        pytest.param({"PARTITION BY k": ""}, marks=pytest.mark.long),
        pytest.param(
            {"SELECT id,": "SELECT id, lag(n) OVER (PARTITION BY k ORDER BY ts) AS before,"}, marks=pytest.mark.long
        ),
    ],
)
def test_another_window_is_refused(spark: SparkSession, tmp_path: Path, changes: dict[str, str]) -> None:
    """By each change alone, one after the other."""
    stopped = Stopped(spark, tmp_path, "hdfs")
    for old, new in changes.items():
        message = stopped.refuses(SQL.replace(old, new))
        assert CHANGED in message
        assert "another checkpointLocation" in message
        # What is kept stands above what is asked, and the two differ.
        kept, asked = (re.search(f"{what}: *(.*)", message)[1] for what in ("It keeps", "The query has"))
        assert "sum(n) OVER ROWS BETWEEN 40 PRECEDING" in kept
        assert kept != asked
    stopped.assert_rows_are_right_so_far()
    stopped.go_on(SQL, [])
    stopped.assert_right()


OF_MORE = portable("""
SELECT id, sum(n + 1) FILTER (WHERE n % 2 = 0) OVER w AS s, max(unix_seconds(now()) - unix_seconds(ts)) OVER w > 0 AS m,
       count_if(rand() < 2) OVER w > 0 AS r
FROM events WINDOW w AS (PARTITION BY substr(k, 1, 1) ORDER BY ts ROWS 9 PRECEDING)""")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("n + 1", "n + 2"),
        pytest.param("n % 2", "n % 3", marks=[pytest.mark.long, needs_window_filter]),
        pytest.param("substr(k, 1, 1)", "substr(k, 2, 1)", marks=pytest.mark.long),
    ],
)
def test_what_a_window_computes_belongs_to_it(spark: SparkSession, tmp_path: Path, old: str, new: str) -> None:
    stopped = Stopped(spark, tmp_path, "hdfs", OF_MORE)
    message = stopped.refuses(OF_MORE.replace(old, new))
    assert CHANGED in message
    stopped.go_on(OF_MORE, [])


def test_a_function_with_another_option_is_another_function(spark: SparkSession, tmp_path: Path) -> None:
    """Directions, places and what is done with nulls, which are no arguments of Spark's expressions."""
    sql = """
SELECT id, percentile_cont(0.9) WITHIN GROUP (ORDER BY n DESC) OVER w AS p,
       mode() WITHIN GROUP (ORDER BY n % 5 DESC) OVER w AS m,
       first(n) OVER w AS f, nth_value(n, 2) OVER w AS second, count(DISTINCT n) OVER w AS d
FROM events WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"""
    stopped = Stopped(spark, tmp_path, "hdfs", sql)
    for old, new in [
        ("ORDER BY n DESC", "ORDER BY n"),
        ("ORDER BY n % 5 DESC", "ORDER BY n % 5"),
        ("first(n)", "first(n) IGNORE NULLS"),
        ("nth_value(n, 2)", "nth_value(n, 3)"),
        ("count(DISTINCT n)", "count(DISTINCT id)"),
    ]:
        message = stopped.refuses(sql.replace(old, new))
        assert CHANGED in message
        (kept,) = re.findall("It keeps: *(.*)", message)
        assert "percentile_cont(CAST(0.9BD AS DOUBLE)) WITHIN GROUP (ORDER BY n DESC)" in kept
        assert "nth_value(n, 2)" in kept
        assert "count(DISTINCT n)" in kept
    stopped.go_on(sql, [])


def test_functions_that_differ_in_an_option_keep_their_states_apart(spark: SparkSession, tmp_path: Path) -> None:
    second, third = "nth_value(n, 2) OVER w AS second", "nth_value(n, 3) OVER w AS third"
    window = "WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    before = f"SELECT id, {second}, {third} FROM events {window}"
    stopped = Stopped(spark, tmp_path, "hdfs", before)
    stopped.go_on(f"SELECT id, {third}, {second} FROM events {window}", stopped.rest)
    stopped.assert_right(before)


@pytest.mark.long
@pytest.mark.parametrize(
    "schema",
    [
        killed.SCHEMA.replace("n BIGINT", "n INT"),
        pytest.param(killed.SCHEMA.replace("k STRING", "k BINARY"), marks=pytest.mark.long),
    ],
)
def test_another_schema_upstream_is_refused(spark: SparkSession, tmp_path: Path, schema: str) -> None:
    stopped = Stopped(spark, tmp_path, "hdfs")
    assert CHANGED in stopped.refuses(SQL, schema=schema)
    stopped.go_on(SQL, [])
    stopped.assert_right()


def test_another_mode_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    stopped = Stopped(spark, tmp_path, "hdfs")
    stopped.settings["spark.slidewise.streaming.mode"] = "eager"
    assert CHANGED in stopped.refuses(SQL)


def test_a_copy_without_hidden_files_continues(spark: SparkSession, tmp_path: Path) -> None:
    """The description of the state is there; without it, the query is refused and nothing is written."""
    stopped = Stopped(spark, tmp_path, "hdfs")
    description = tmp_path / "checkpoint" / "slidewise" / "0.json"
    for hidden in [*(tmp_path / "checkpoint").rglob(".*")]:
        hidden.unlink()
    content = description.read_text()
    description.unlink()
    message = stopped.refuses(SQL.replace("sum(n)", "sum(id)"))
    assert CHANGED in message
    assert "0.json is missing" in message
    assert not description.exists()
    description.write_text(content)
    stopped.go_on(SQL, [])
    stopped.assert_right()


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def garble(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for i in range(len(content) // 3, len(content), 7):
        content[i] ^= 0x5A
    file.write_bytes(content)


@pytest.mark.parametrize(("damage", "store"), crossed([cut, garble, Path.unlink], ["rocksdb", "hdfs"]))
def test_damaged_state(spark: SparkSession, tmp_path: Path, store: str, damage: Any) -> None:
    """An error, or the right rows where the damage did not matter; never others."""
    stopped = Stopped(spark, tmp_path, store)
    # What the session has in memory would hide the damage.
    spark._jvm.org.apache.spark.sql.execution.streaming.state.StateStore.stop()
    files = {"rocksdb": "*.changelog", "hdfs": "*.delta"}[store]
    damaged = [file for file in (tmp_path / "checkpoint" / "state").rglob(files) if not file.name.startswith(".")]
    assert damaged
    for file in damaged:
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        damage(file)
    message = stopped.refuses(SQL)
    assert "STATE" in message or "state" in message
    stopped.assert_rows_are_right_so_far()


def test_a_damaged_description_of_the_window(spark: SparkSession, tmp_path: Path) -> None:
    stopped = Stopped(spark, tmp_path, "hdfs")
    file = tmp_path / "checkpoint" / "slidewise" / "0.json"
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    cut(file)
    assert "0.json" in stopped.refuses(SQL)
