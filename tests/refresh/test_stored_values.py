"""Results that the target keeps with other values or types than the query has, or that another session has written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from session import settings
from sparks import SPARK

import slidewise

NAME = "stored_values"
LAST = "PARTITION BY card ORDER BY day RANGE BETWEEN INTERVAL 6 DAYS PRECEDING AND CURRENT ROW"
WEEKS = f"SELECT card, day, sum(x) OVER ({LAST}) AS week FROM pay"


def pay(spark: SparkSession, days: int, late: int = 0) -> DataFrame:
    rows = spark.sql(
        f"""SELECT card, DATE'2026-01-01' + CAST(id AS INT) AS day, id + IF(id = 5, {late}, 0) AS x
        FROM range({days}) CROSS JOIN (VALUES ('ann'), ('bob') AS t(card))"""
    )
    rows.createOrReplaceTempView("pay")
    return rows


@pytest.fixture(autouse=True)
def dropped(spark: SparkSession) -> Iterator[None]:
    yield
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")


def refreshed(spark: SparkSession, query: str, changes: DataFrame, keys: list[str]) -> slidewise.Refreshed:
    with settings(spark, {"spark.slidewise.refresh.maxShare": "1"}):
        return slidewise.refresh(spark.sql(query), NAME, keys=keys, changes=changes)


def stored(spark: SparkSession, columns: str) -> list[str]:
    return sorted(map(repr, spark.table(NAME).selectExpr(*columns.split(", ")).collect()))


@pytest.mark.parametrize("kind", ["CHAR(5)", "VARCHAR(5)"])
def test_a_key_with_a_length(spark: SparkSession, kind: str) -> None:
    spark.sql(f"CREATE TABLE {NAME} (card {kind}, week BIGINT, day DATE) USING parquet PARTITIONED BY (day)")
    pay(spark, 30)
    spark.sql(f"INSERT INTO {NAME} SELECT card, week, day FROM ({WEEKS})")
    rows = pay(spark, 31, late=100)
    changes = rows.where("x IN (5, 105, 30)")
    done = refreshed(spark, WEEKS, changes, ["card", "day"])
    assert (done.whole, done.inserted, done.updated, done.deleted) == (False, 2, 14, 0)
    assert refreshed(spark, WEEKS, changes, ["card", "day"]) == slidewise.Refreshed(False, 0, 0, 0)
    expected = spark.sql(WEEKS).collect()
    assert stored(spark, "rtrim(card) AS card, day, week") == sorted(map(repr, expected))


@pytest.mark.skipif(SPARK < (4, 0), reason="collations need Spark 4")
@pytest.mark.parametrize("value", ["s", "array(s)", "named_struct('a', array(s))", "collect_list(s) OVER (w)"])
def test_a_text_that_changes_only_for_some_collations(spark: SparkSession, value: str) -> None:
    text = "CAST('{}' AS STRING COLLATE UTF8_LCASE)"
    first = f"id, id % 2 AS p, timestamp_seconds(id * 3600) AS ts, {text.format('abc')} AS s"
    spark.sql(f"SELECT {first} FROM range(40)").createOrReplaceTempView("pay")
    query = f"""SELECT id, p, {value} AS found, count(*) OVER w AS n FROM pay
        WINDOW w AS (PARTITION BY p ORDER BY ts RANGE INTERVAL 3 HOURS PRECEDING)"""
    spark.sql(query).write.partitionBy("p").saveAsTable(NAME)
    rows = spark.sql(
        "SELECT id, p, ts, IF(id = 30, CAST('ABC' AS STRING COLLATE UTF8_LCASE), s) AS s FROM pay"
    ).localCheckpoint()
    rows.createOrReplaceTempView("pay")
    done = refreshed(spark, query, rows.where("id = 30"), ["id"])
    assert (done.inserted, done.updated, done.deleted) == (0, 2 if "collect" in value else 1, 0)
    assert stored(spark, "id, found") == sorted(map(repr, spark.sql(query).select("id", "found").collect()))


def test_a_user_defined_type(spark: SparkSession) -> None:
    vectors = pytest.importorskip("pyspark.ml.linalg")

    def rows(days: int) -> DataFrame:
        values = [(n, n % 2, n, vectors.Vectors.dense([float(n)])) for n in range(days)]
        found = spark.createDataFrame(values, ["id", "p", "x", "v"])
        found.createOrReplaceTempView("pay")
        return found

    query = """SELECT id, p, v, sum(x) OVER (PARTITION BY p ORDER BY id RANGE 3 PRECEDING) AS total FROM pay"""
    rows(20)
    spark.sql(query).write.partitionBy("p").saveAsTable(NAME)
    done = refreshed(spark, query, rows(22).where("id >= 20"), ["id"])
    assert (done.inserted, done.updated, done.deleted) == (2, 0, 0)
    assert stored(spark, "id, v, total") == sorted(map(repr, spark.sql(query).select("id", "v", "total").collect()))


def test_a_query_of_another_session(spark: SparkSession) -> None:
    """Its time zone decides how far the frames reach."""
    other = spark.newSession()
    query = """SELECT id, p, ts, sum(x) OVER (PARTITION BY k ORDER BY ts
        RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW) AS total FROM pay"""

    def rows(which: str) -> DataFrame:
        # Clocks go back on 1 November.
        times = "timestamp_seconds(1793404800 + id * 1800) AS ts"
        other.sql(f"SELECT id, 'k' AS k, id % 2 AS p, {times}, 1 AS x FROM range(200) {which}").createOrReplaceTempView(
            "pay"
        )
        return other.table("pay")

    own = {
        "spark.sql.session.timeZone": "America/New_York",
        "spark.slidewise.refresh.maxShare": "1",
    }
    with settings(other, own), settings(spark, {"spark.sql.session.timeZone": "UTC"}):
        rows("WHERE id <> 50")
        other.sql(query).write.partitionBy("p").saveAsTable(NAME)
        changes, found = rows("").where("id = 50"), other.sql(query)
        spark.sql("SELECT 1").collect()  # after which Spark's active session is not that of the query
        assert not slidewise.refresh(found, NAME, keys="id", changes=changes).whole
        assert stored(spark, "id, total") == sorted(map(repr, found.select("id", "total").collect()))


@pytest.mark.parametrize("kind", ["VIEW", "TEMPORARY VIEW"])
def test_a_query_in_a_view(spark: SparkSession, kind: str) -> None:
    spark.sql("CREATE TABLE base (card STRING, day DATE, x BIGINT) USING parquet")
    query = WEEKS.replace("pay", "base")
    try:
        pay(spark, 30).write.insertInto("base")
        spark.sql(f"CREATE {kind} weeks AS {query}")
        spark.table("weeks").write.partitionBy("day").saveAsTable(NAME)
        pay(spark, 31).where("x = 30").write.insertInto("base")
        changes = spark.table("base").where("x = 30")
        done = slidewise.refresh(spark.table("weeks"), NAME, keys=["card", "day"], changes=changes)
        assert done == slidewise.Refreshed(False, 2, 0, 0)
    finally:
        spark.sql("DROP VIEW IF EXISTS weeks")
        spark.sql("DROP TABLE base")


def test_a_text_that_is_too_long(spark: SparkSession) -> None:
    spark.sql(f"CREATE TABLE {NAME} (card VARCHAR(2), week BIGINT, day DATE) USING parquet PARTITIONED BY (day)")
    rows = pay(spark, 3)
    with pytest.raises(Exception, match=r"EXCEED_LIMIT_LENGTH|Exceeds char/varchar"):
        refreshed(spark, WEEKS, rows, ["card", "day"])
    assert spark.table(NAME).count() == 0


def test_a_time_that_is_stored_as_a_date(spark: SparkSession) -> None:
    """Midnight in New York is another instant than midnight in UTC, in which windows begin."""
    query = "SELECT k, window.start AS day, count(*) AS n, k % 2 AS p FROM e GROUP BY k, window(ts, '1 day')"
    rows = "SELECT id % 3 AS k, TIMESTAMP'2026-01-01 12:00:00' + make_dt_interval(0, id) AS ts FROM range({})"
    with settings(spark, {"spark.sql.session.timeZone": "America/New_York"}):
        spark.sql(f"CREATE TABLE {NAME} (k BIGINT, day DATE, n BIGINT, p BIGINT) USING parquet PARTITIONED BY (p)")
        spark.sql(rows.format(100)).createOrReplaceTempView("e")
        spark.sql(f"INSERT INTO {NAME} SELECT k, CAST(day AS DATE), n, p FROM ({query})")
        spark.sql(rows.format(103)).createOrReplaceTempView("e")
        changes = spark.sql(rows.format(103)).exceptAll(spark.sql(rows.format(100)))
        assert refreshed(spark, query, changes, ["k", "day"]) == slidewise.Refreshed(False, 0, 3, 0)
        expected = spark.sql(f"SELECT k, CAST(day AS DATE) AS day, n, p FROM ({query})").collect()
        assert stored(spark, "k, day, n, p") == sorted(map(repr, expected))


@pytest.mark.parametrize(
    ("format", "changed"), [("json", {}), ("parquet", {"outputTimestampType": "TIMESTAMP_MILLIS"})]
)
def test_times_that_the_files_do_not_keep(spark: SparkSession, format: str, changed: dict[str, str]) -> None:
    query = "SELECT id, k, ts, sum(id) OVER (PARTITION BY k ORDER BY ts) AS v, k AS p FROM e"
    rows = "SELECT id, id % 3 AS k, timestamp_micros(id * {}) AS ts FROM range(30)"
    with settings(spark, {f"spark.sql.parquet.{name}": value for name, value in changed.items()}):
        columns = "id BIGINT, k BIGINT, ts TIMESTAMP, v BIGINT, p BIGINT"
        spark.sql(f"CREATE TABLE {NAME} ({columns}) USING {format} PARTITIONED BY (p)")
        spark.sql(rows.format(1001)).createOrReplaceTempView("e")
        with pytest.raises(Exception, match=r"the column ts has a time with microseconds .* keep 3 digits of a second"):
            refreshed(spark, query, spark.table("e"), ["k", "ts"])
        assert spark.table(NAME).count() == 0
        spark.sql(rows.format(1000)).createOrReplaceTempView("e")
        assert refreshed(spark, query, spark.table("e"), ["k", "ts"]).inserted == 30
        assert refreshed(spark, query, spark.table("e"), ["k", "ts"]) == slidewise.Refreshed(False, 0, 0, 0)


def test_rows_of_another_application(spark: SparkSession, tmp_path: Path) -> None:
    """Spark keeps the listing of a table's files in the session."""
    pay(spark, 30)
    spark.sql(WEEKS).write.partitionBy("day").saveAsTable(NAME)
    assert spark.table(NAME).count() == 60
    spark.sql("SELECT 'carl' AS card, 5L AS week").coalesce(1).write.parquet(str(tmp_path / "carl"))
    (file,) = (tmp_path / "carl").glob("*.parquet")
    location = spark.sql(f"DESCRIBE EXTENDED {NAME}").where("col_name = 'Location'").head().data_type
    file.rename(Path(location.removeprefix("file:")) / "day=2026-01-30" / file.name)
    rows = spark.table("pay").withColumn("x", sf.expr("x + IF(day = DATE'2026-01-29', 100, 0)"))
    rows.createOrReplaceTempView("pay")
    changes = rows.where("day = DATE'2026-01-29'")
    assert refreshed(spark, WEEKS, changes, ["card", "day"]) == slidewise.Refreshed(False, 0, 4, 0)
    assert stored(spark, "card, week")[-1:] == ["Row(card='carl', week=5)"]


@pytest.mark.parametrize("partition", ["p", "day"])
def test_days_that_the_calendar_of_older_classes_lacks(spark: SparkSession, partition: str) -> None:
    """October 5 to 14, 1582, do not exist in it."""
    query = """SELECT id, day, id % 4 AS p, count(*) OVER
      (PARTITION BY id % 3 ORDER BY day RANGE INTERVAL 2 DAYS PRECEDING) AS n FROM e"""
    rows = spark.sql("SELECT id, DATE'1582-10-01' + CAST(id DIV 3 AS INT) AS day FROM range(60)")
    rows.where("id NOT IN (15, 18)").createOrReplaceTempView("e")
    spark.sql(query).write.partitionBy(partition).saveAsTable(NAME)
    rows.createOrReplaceTempView("e")
    done = refreshed(spark, query, rows.where("id IN (15, 18)"), ["id"])
    assert done == slidewise.Refreshed(False, 2, 2, 0)
    assert stored(spark, "id, day, p, n") == sorted(map(repr, spark.sql(query).collect()))


def test_partitions_whose_names_look_like_a_smaller_type(spark: SparkSession, tmp_path: Path) -> None:
    target = f"parquet.`{tmp_path}/stored`"
    query = """SELECT id, part * 1000000000L AS part, CAST(price AS DECIMAL(20, 2)) AS price,
      count(*) OVER (PARTITION BY part ORDER BY id) AS n FROM e"""
    rows = "SELECT id, id DIV 10 AS part, 12345678901234567.25BD + id DIV 5 AS price FROM range({})"
    spark.sql(rows.format(20)).createOrReplaceTempView("e")
    spark.sql(query).write.partitionBy("part", "price").parquet(f"{tmp_path}/stored")
    spark.sql(rows.format(40)).createOrReplaceTempView("e")
    changes = spark.sql(rows.format(40)).where("id >= 20")
    with settings(spark, {"spark.slidewise.refresh.maxShare": "1"}):
        done = slidewise.refresh(spark.sql(query), target, keys="id", changes=changes)
    assert done == slidewise.Refreshed(False, 20, 0, 0)
    found = spark.read.schema(spark.sql(query).schema).parquet(f"{tmp_path}/stored").select("id", "part", "price", "n")
    assert sorted(map(repr, found.collect())) == sorted(map(repr, spark.sql(query).collect()))


def test_a_directory_whose_partitions_are_gone(spark: SparkSession, tmp_path: Path) -> None:
    target = f"parquet.`{tmp_path}/stored`"
    query = "SELECT card, day, week, year(day) AS y, month(day) AS m FROM (" + WEEKS + ")"
    pay(spark, 400)
    spark.sql(query).write.partitionBy("y", "m").parquet(f"{tmp_path}/stored")
    rows = pay(spark, 400)
    rows.where("day >= DATE'2027-01-01'").createOrReplaceTempView("pay")
    for _ in range(2):
        done = slidewise.refresh(
            spark.sql(query), target, keys=["card", "day"], changes=rows.where("day < DATE'2027-01-01'")
        )
    assert not any((tmp_path / "stored" / "y=2026").glob("m=*"))
    assert done.inserted == done.updated == done.deleted == 0
    assert spark.read.parquet(f"{tmp_path}/stored").count() == spark.sql(query).count()
