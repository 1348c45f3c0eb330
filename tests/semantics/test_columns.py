"""Windows written with columns in Python, and columns of every type that pass by."""

from __future__ import annotations

import datetime as dt

from plans import plan
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.window import Window

from semantics.conftest import Ask


def test_rows_between(spark: SparkSession) -> None:
    moving = Window.partitionBy((sf.col("id") % 2).alias("p")).orderBy("id").rowsBetween(-1, Window.currentRow)
    calls = [sf.sum("id").over(moving), sf.max_by("id", "id").over(moving)]
    frame = spark.range(6).select("id", *calls)
    assert [tuple(row) for row in frame.orderBy("id").collect()][4:] == [(4, 6, 4), (5, 8, 5)]
    assert "SlidingWindow" in plan(frame)


def test_range_between(spark: SparkSession) -> None:
    days = spark.range(5).select((sf.lit(dt.date(2024, 2, 27)) + sf.col("id").cast("int")).alias("d"))
    frame = days.select("d", sf.count("*").over(Window.orderBy(sf.unix_date("d").desc()).rangeBetween(0, 2)).alias("n"))
    assert [row.n for row in frame.orderBy("d").collect()] == [1, 2, 3, 3, 3]
    assert "SlidingWindow" in plan(frame)


def test_range_between_instants_as_seconds(spark: SparkSession) -> None:
    moments = spark.range(4).select(sf.timestamp_seconds(sf.col("id") * 40).alias("t"))
    minute = Window.orderBy(sf.col("t").cast("long")).rangeBetween(-60, Window.currentRow)
    counts = moments.select("t", sf.count("*").over(minute).alias("n")).orderBy("t").collect()
    assert [row.n for row in counts] == [1, 2, 2, 2]


def test_columns_of_every_type_pass_by(ask: Ask) -> None:
    columns = """array(id, NULL) AS a, map('k', id) AS m, named_struct('x', id, 'y', array('z')) AS s,
        cast(NULL AS void) AS v, parse_json('{"a": 1}')::string AS j, repeat('long ', cast(id AS int) * 100) AS r,
        make_interval(1, 2, 3) AS c, cast(id AS decimal(38, 10)) AS d, cast('x' AS binary) AS b, true AS t"""
    answer = ask(
        f"""SELECT id, a, m, s, v, j, r, cast(c AS string), d, b, t, sum(id) OVER (ORDER BY id DESC ROWS 1 PRECEDING)
            FROM (SELECT id, {columns} FROM range(50)) ORDER BY id"""
    )
    assert [row[-1] for row in answer[-3:]] == [95, 97, 49]


def test_arguments_of_nested_types(ask: Ask) -> None:
    answer = ask(
        """SELECT id, first(a) OVER w, max(s) OVER w, collect_list(m) OVER w, last(v, true) OVER w
           FROM (SELECT id, array(id, NULL) AS a, named_struct('x', id % 3, 'y', 'z') AS s, map('k', id) AS m,
                   if(id % 4 = 0, NULL, array(named_struct('q', id))) AS v FROM range(30))
           WINDOW w AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING) ORDER BY id"""
    )
    assert answer[0][3] == [{"k": 0}, {"k": 1}]


def test_the_same_window_on_both_sides_of_a_join(ask: Ask) -> None:
    over = "OVER (PARTITION BY id % 5 ORDER BY id ROWS 2 PRECEDING)"
    window = f"(SELECT id, sum(id) {over} AS s FROM range(0, 60, 1, 3))"
    answer = ask(f"SELECT l.id, l.s, r.s FROM {window} l JOIN {window} r ON l.id = r.id ORDER BY l.id")
    assert all(left == right for _, left, right in answer)
