"""Tables and results in partitions: which of them a refresh reads, and which it writes anew."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from session import settings
from sparks import SPARK

import slidewise

DAYS = 20
EVENTS = f"""
    SELECT id, id % 3 AS k, ts, CAST(ts AS DATE) AS day, year(ts) AS y, month(ts) AS m, day(ts) AS d, id AS x
    FROM (SELECT id, TIMESTAMP'2026-02-20' + make_dt_interval(0, id) AS ts FROM range({DAYS * 24}))"""
OVER = """SELECT id, k, ts, {columns}, sum(x) OVER
  (PARTITION BY k ORDER BY ts RANGE BETWEEN {reach} PRECEDING AND CURRENT ROW) AS total FROM events"""
JOINED = """SELECT l.id, l.k, l.ts, {columns}, (SELECT sum(e.x) FROM events e
  WHERE e.k = l.k AND e.ts >= l.ts - {reach} AND e.ts < l.ts) AS total FROM labels l"""

LAYOUTS: dict[str, dict[str, str]] = {
    "day": {"day": "CAST(ts AS DATE)"},
    "y, m, d": {"y": "year(ts)", "m": "month(ts)", "d": "day(ts)"},
}


def by(layout: str) -> list[str]:
    return layout.split(", ")


def write(rows: DataFrame, layout: str, folder: Path) -> None:
    rows.repartition(*by(layout)).write.partitionBy(*by(layout)).parquet(str(folder))


def ruin(folder: Path, kept: int) -> None:
    """Makes files of all partitions unreadable but of the newest and of the last by name, which tells the schema."""
    directories = sorted({file.parent for file in folder.rglob("*.parquet")}, key=_values)
    for directory in set(directories[:-kept]) - {max(directories)}:
        for file in directory.glob("*.parquet"):
            file.write_bytes(b"x" * file.stat().st_size)
            file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def _values(directory: Path) -> list[str]:
    return [part.split("=")[1].rjust(10, "0") for part in directory.parts if "=" in part]


def refreshed(
    spark: SparkSession, sql: str, target: Path, changes: Mapping[str, DataFrame], generated: Any
) -> slidewise.Refreshed:
    return slidewise.refresh(spark.sql(sql), f"parquet.`{target}`", keys="id", changes=changes, generated=generated)


def read(spark: SparkSession, folder: Path, like: DataFrame) -> DataFrame:
    """Does not infer the schema, for which Spark would read a file of any partition."""
    return spark.read.schema(like.schema).parquet(str(folder))


def check(spark: SparkSession, sql: str, layout: str, ruined: Mapping[str, Path], stored: Path, generated: Any) -> None:
    """A refresh after a day was appended to the first of the tables, whose partitions out of reach cannot be read."""
    new = f"id >= {(DAYS - 1) * 24}"
    changed = next(iter(ruined))
    for name, folder in ruined.items():
        write(spark.sql(EVENTS), layout, folder)
        spark.sql(EVENTS).createOrReplaceTempView(name)
    expected = sorted(spark.sql(sql).where(new).collect())
    spark.sql(EVENTS).where(f"NOT {new}").createOrReplaceTempView(changed)
    write(spark.sql(sql), layout, stored)
    for name, folder in ruined.items():
        ruin(folder, kept=1 if name == "labels" else 3)
        read(spark, folder, spark.sql(EVENTS)).createOrReplaceTempView(name)
    result = spark.sql(sql)
    ruin(stored, kept=1)
    done = refreshed(spark, sql, stored, {changed: spark.sql(EVENTS).where(new)}, generated)
    assert done == slidewise.Refreshed(False, 24, 0, 0)
    found = read(spark, stored, result)
    for column in by(layout):
        found = found.where(found[column] == expected[-1][column])
    assert sorted(found.select(result.columns).collect()) == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_partitions_out_of_reach_are_not_read(spark: SparkSession, tmp_path: Path, layout: str) -> None:
    sql = OVER.format(columns=layout, reach="INTERVAL 30 HOURS")
    check(spark, sql, layout, {"events": tmp_path / "events"}, tmp_path / "stored", LAYOUTS[layout])


@pytest.mark.skipif(SPARK < (4, 0), reason="scalar subqueries with a range need Spark 4")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_partitions_of_another_table_are_not_read(spark: SparkSession, tmp_path: Path, layout: str) -> None:
    """Labels of a day are appended; the events that they read have not changed."""
    sql = JOINED.format(columns=", ".join(f"l.{column}" for column in by(layout)), reach="INTERVAL 30 HOURS")
    tables = {"labels": tmp_path / "labels", "events": tmp_path / "events"}
    check(spark, sql, layout, tables, tmp_path / "stored", {"events": LAYOUTS[layout]})


def test_files_without_the_changed_keys_are_not_read(spark: SparkSession, tmp_path: Path) -> None:
    """A table that is in buckets by key: those of other keys cannot be read."""
    stored = tmp_path / "stored"
    sql = """SELECT id, k, ts, m, row_number() OVER (PARTITION BY k ORDER BY ts, id) AS place FROM bucketed"""
    spark.sql(EVENTS).write.bucketBy(8, "k").saveAsTable("bucketed")
    try:
        write(spark.sql(sql).where("NOT (k = 1 AND id > 300)"), "m", stored)
        expected = sorted(spark.sql(sql).collect())
        of_key = spark.table("bucketed").where("k = 1").selectExpr("input_file_name() AS file").distinct().collect()
        kept = {row.file.rsplit("/", 1)[1] for row in of_key}
        location = spark.sql("DESCRIBE EXTENDED bucketed").where("col_name = 'Location'").head().data_type
        for file in Path(location.removeprefix("file:")).glob("*.parquet"):
            if file.name not in kept:
                file.write_bytes(b"x" * file.stat().st_size)
                file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        changes = spark.sql(EVENTS).where("k = 1 AND id > 300")
        with settings(spark, {"spark.slidewise.refresh.maxShare": "0.9"}):
            done = refreshed(spark, sql, stored, {"bucketed": changes}, None)
        assert (done.whole, done.updated, done.deleted) == (False, 0, 0)
        assert done.inserted == changes.count()
        assert sorted(spark.read.parquet(str(stored)).select(spark.sql(sql).columns).collect()) == expected
    finally:
        spark.sql("DROP TABLE bucketed")


@pytest.mark.parametrize("generated", [None, LAYOUTS["day"]], ids=["not-said", "generated"])
def test_results_without_a_time(spark: SparkSession, tmp_path: Path, generated: Any) -> None:
    """In descending order, rows without a time come last, and count all others."""
    stored = tmp_path / "stored"
    timeless = "SELECT 9000 + id AS id, k, NULL, NULL, NULL, NULL, NULL, x FROM " + f"({EVENTS}) WHERE id < 3"
    events = spark.sql(f"{EVENTS} UNION ALL {timeless}")
    sql = "SELECT id, k, ts, day, count(*) OVER (PARTITION BY k ORDER BY ts DESC) AS c FROM events"
    events.where("id <> 30").createOrReplaceTempView("events")
    write(spark.sql(sql), "day", stored)
    events.createOrReplaceTempView("events")
    with settings(spark, {"spark.slidewise.refresh.maxShare": "1"}):
        done = refreshed(spark, sql, stored, {"events": events.where("id = 30")}, generated)
    assert not done.whole
    found = spark.read.parquet(str(stored)).select(spark.sql(sql).columns)
    assert sorted(map(repr, found.collect())) == sorted(map(repr, spark.sql(sql).collect()))


def test_a_year_and_a_month_of_different_times(spark: SparkSession, tmp_path: Path) -> None:
    stored = tmp_path / "stored"
    events = spark.sql("SELECT id, id % 3 AS k, TIMESTAMP'2026-11-20' + make_dt_interval(0, id) AS ts FROM range(300)")
    sql = """SELECT id, k, ts, year(ts) AS y, month(date_add(ts, 30)) AS due, count(*) OVER
      (PARTITION BY k ORDER BY ts RANGE INTERVAL 3 DAYS PRECEDING) AS n FROM events"""
    events.where("id < 270").createOrReplaceTempView("events")
    spark.sql(sql).write.partitionBy("y", "due").parquet(str(stored))
    events.createOrReplaceTempView("events")
    with settings(spark, {"spark.slidewise.refresh.maxShare": "1"}):
        done = refreshed(spark, sql, stored, {"events": events.where("id >= 270")}, {})
    assert done == slidewise.Refreshed(False, 30, 0, 0)
    found = spark.read.parquet(str(stored)).select(spark.sql(sql).columns)
    assert sorted(found.collect()) == sorted(spark.sql(sql).collect())


def test_directories_with_zeros_in_front(spark: SparkSession, tmp_path: Path) -> None:
    stored = tmp_path / "stored"
    sql = OVER.format(columns="m", reach="INTERVAL 2 DAYS")
    changed = spark.sql(EVENTS).where("id BETWEEN 200 AND 203")
    spark.sql(EVENTS).where("id NOT BETWEEN 200 AND 203").createOrReplaceTempView("events")
    write(spark.sql(sql), "m", stored)
    for month in (2, 3):
        (stored / f"m={month}").rename(stored / f"m=0{month}")
    spark.sql(EVENTS).createOrReplaceTempView("events")
    done = refreshed(spark, sql, stored, {"events": changed}, {"m": "month(ts)"})
    assert done.inserted == 4
    assert done.updated > 0
    found = spark.read.parquet(str(stored)).select(spark.sql(sql).columns)
    assert sorted(found.collect()) == sorted(spark.sql(sql).collect())


def test_an_empty_text_is_no_partition(spark: SparkSession, tmp_path: Path) -> None:
    texts = "SELECT *, element_at(array('a', NULL, '{}'), CAST(k + 1 AS INT)) AS t FROM events"
    sql = f"SELECT id, k, ts, t, sum(x) OVER (PARTITION BY k ORDER BY ts ROWS 3 PRECEDING) AS total FROM ({texts})"
    stored = tmp_path / "stored"
    spark.sql(EVENTS).createOrReplaceTempView("events")
    spark.sql(sql.format("")).where("id < 470").write.partitionBy("t").parquet(str(stored))
    before = sorted(map(repr, spark.read.parquet(str(stored)).collect()))
    changed = {"events": spark.sql(EVENTS).where("id >= 470")}
    with pytest.raises(Exception, match=r"the partition column t is empty .* Allowed: null, as nullif\(t, ''\) is"):
        refreshed(spark, sql.format(""), stored, changed, {})
    assert sorted(map(repr, spark.read.parquet(str(stored)).collect())) == before
    refreshed(spark, sql.format("c"), stored, changed, {})
    assert sorted(map(repr, spark.read.parquet(str(stored)).select("id", "k", "ts", "t", "total").collect())) == sorted(
        map(repr, spark.sql(sql.format("c")).collect())
    )


@pytest.mark.parametrize("format", ["csv", "json", "orc"])
def test_files_are_written_with_the_options_of_the_table(spark: SparkSession, format: str) -> None:
    sql = OVER.format(columns="m, concat('|', id, ',') AS text", reach="INTERVAL 2 DAYS")
    spark.sql(EVENTS).createOrReplaceTempView("events")
    options = "header 'true', sep '|', compression 'gzip'" if format == "csv" else "compression 'zlib'"
    if format == "json":
        options = "timestampFormat 'yyyy/MM/dd HH:mm:ss', compression 'gzip'"
    spark.sql(
        f"CREATE TABLE with_options (id BIGINT, k BIGINT, ts TIMESTAMP, text STRING, total BIGINT, m INT) "
        f"USING {format} OPTIONS ({options}) PARTITIONED BY (m)"
    )
    try:
        columns = "id, k, ts, text, total, m"
        spark.sql(EVENTS).where("id < 400").createOrReplaceTempView("events")
        spark.sql(f"INSERT INTO with_options SELECT {columns} FROM ({sql})")
        spark.sql(EVENTS).createOrReplaceTempView("events")
        changes = {"events": spark.sql(EVENTS).where("id >= 400")}
        done = slidewise.refresh(spark.sql(sql), "with_options", keys="id", changes=changes)
        assert done.inserted == DAYS * 24 - 400
        found = spark.table("with_options").select(columns.split(", "))
        assert sorted(found.collect()) == sorted(spark.sql(sql).select(columns.split(", ")).collect())
    finally:
        spark.sql("DROP TABLE with_options")


def test_a_partition_in_a_folder_of_its_own_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(EVENTS).createOrReplaceTempView("events")
    sql = OVER.format(columns="m", reach="INTERVAL 2 DAYS")
    spark.sql(sql).write.partitionBy("m").saveAsTable("scattered")
    try:
        spark.sql(f"ALTER TABLE scattered PARTITION (m = 2) SET LOCATION '{tmp_path}'")
        with pytest.raises(AnalysisException, match="has the partition m -> 2 in a folder of its own"):
            slidewise.Refresh(spark.sql(sql), "scattered", keys="id", changes=spark.table("events"))
    finally:
        spark.sql("DROP TABLE scattered")
