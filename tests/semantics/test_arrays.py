"""What array kernels answer, and what they leave to the operator that goes row by row, with the same answers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from cases import crossed, long_if
from plans import plan
from pyspark.sql import SparkSession
from sparks import SPARK, portable

from semantics.conftest import Ask, Fails

TYPES = {
    "tinyint": "cast(id % 100 as tinyint)",
    "smallint": "cast(id * 7 % 1000 - 500 as smallint)",
    "int": "cast(id * 48271 % 10007 - 5000 as int)",
    "bigint": "id * 48271 % 1000003 - 500000",
    "float": "if(id % 11 = 0, float('NaN'), cast(id * 7 % 13 as float))",
    "double": "if(id % 17 = 0, double('-0.0'), if(id % 19 = 0, double('Infinity'), double(id * 7 % 13)))",
    "decimal(7,2)": "cast(id % 977 / 7 as decimal(7,2))",
    "decimal(18,4)": "cast(id % 977 / 7 as decimal(18,4))",
    "boolean": "id % 5 = 0",
    "date": "date_add(date'2026-01-01', cast(id % 40 as int))",
    "timestamp": "timestamp'2026-03-07 12:00:00' + make_dt_interval(0, cast(id % 90 as int))",
    "timestamp_ntz": "timestamp_ntz'2026-03-07 12:00:00' + make_dt_interval(0, cast(id % 90 as int))",
    "interval day to second": "make_dt_interval(0, cast(id % 90 as int))",
    "interval year to month": "make_ym_interval(0, cast(id % 90 as int))",
}
# One type of each array: bytes, ints, longs, floats, doubles and bits.
SORTED_BY_SPARK = [
    ("tinyint", "t"),
    ("int", "t DESC NULLS LAST"),
    ("bigint", "t"),
    ("float", "t DESC NULLS LAST"),
    ("double", "t"),
    ("boolean", "t DESC NULLS LAST"),
]
ARITHMETIC = ("sum", "avg", "stddev", "stddev_pop", "variance", "var_pop")
NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
FRAMES = (
    "ROWS BETWEEN 4 PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 3 FOLLOWING AND 9 FOLLOWING",
    "ROWS BETWEEN 900 PRECEDING AND 800 PRECEDING",
    "ROWS BETWEEN 2 PRECEDING AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN 5 PRECEDING AND 2 FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
)


def of(kind: str, order: str = "t", keys: str = "PARTITION BY p", frames: Sequence[str] = FRAMES) -> str:
    """300 rows in two partitions, with ties and nulls among times and values."""
    x = f"if(id % 7 = 3, null, {TYPES[kind]})"
    t = "cast(if(id % 31 = 5, null, id * 37 % 101) as int)"
    source = f"(SELECT id, id % 2 AS p, {t} AS t, {x} AS x FROM range(0, 300, 1, 1))"
    columns = ["count(x)", "count(*)", "min(x)", "max(x)", portable("max(x) FILTER (WHERE id % 3 = 1)")]
    columns += [f"{function}(x)" for function in ARITHMETIC if kind in NUMBERS]
    # PySpark cannot show intervals of months.
    shown = "string({})" if "month" in kind else "{}"
    calls = ", ".join(
        shown.format(f"{column} OVER ({keys} ORDER BY {order} {frame})") for column in columns for frame in frames
    )
    return f"SELECT id, {calls} FROM {source}"


def algorithms(spark: SparkSession, sql: str) -> list[str]:
    frame = spark.sql(sql)
    shown = plan(frame)
    return [line.split("[", 1)[1].split("]")[0] for line in shown.splitlines() if "SlidingWindow [" in line]


@pytest.mark.parametrize(
    ("kind", "order", "frames"),
    crossed(TYPES, ["t", "t DESC NULLS FIRST", "t NULLS LAST"], [FRAMES[::2], FRAMES[1::2]]),
)
def test_every_type(spark: SparkSession, close: Ask, kind: str, order: str, frames: Sequence[str]) -> None:
    sql = of(kind, order, frames=frames)
    assert algorithms(spark, sql) == ["array-kernels"]
    assert len(close(sql)) == 300


@pytest.mark.parametrize(
    ("kind", "order"),
    long_if(
        lambda kind, order: (kind, order) not in SORTED_BY_SPARK,
        list(itertools.product(TYPES, ["t", "t DESC NULLS LAST"])),
    ),
)
def test_every_type_in_rows_that_spark_sorts(spark: SparkSession, close: Ask, kind: str, order: str) -> None:
    sql = of(kind, order, keys="").replace("range(0, 300, 1, 1))", f"range(0, 300, 1, 1) SORT BY {order})")
    assert algorithms(spark, sql) == ["array-kernels"]
    assert "sorts" not in plan(spark.sql(sql)).split("array-kernels")[1].split("\n")[0]
    assert len(close(sql)) == 300


def test_others_are_answered_in_the_same_operator(spark: SparkSession, ask: Ask) -> None:
    window = "OVER (PARTITION BY id % 3 ORDER BY id ROWS 2 PRECEDING)"
    sql = f"SELECT id, max_by(id, -id) {window}, sum(id) {window}, collect_list(id) {window} FROM range(90)"
    assert algorithms(spark, sql) == ["array-kernels, two-stacks-lite, recalculation"]
    assert "Sort" not in plan(spark.sql(sql))
    assert len(ask(sql)) == 90


def test_rows_that_come_sorted_are_not_sorted_again(spark: SparkSession, ask: Ask) -> None:
    first = """SELECT *, sum(id) OVER (PARTITION BY p ORDER BY id ROWS 2 PRECEDING) AS s
               FROM (SELECT id, id % 3 AS p FROM range(90))"""
    sql = f"SELECT *, max(s) OVER (PARTITION BY p ORDER BY id ROWS 4 PRECEDING) AS m FROM ({first})"
    assert algorithms(spark, sql) == ["array-kernels", "array-kernels"]
    assert ["sorts" in line for line in plan(spark.sql(sql)).splitlines() if "SlidingWindow" in line] == [False, True]
    assert len(ask(sql)) == 90


def to_the_end(day: str) -> str:
    """A month after the last row's time is past the end of its type."""
    frame = "RANGE BETWEEN CURRENT ROW AND INTERVAL 1 MONTH FOLLOWING"
    return f"""SELECT i, sum(i) OVER (PARTITION BY p ORDER BY t {frame})
               FROM VALUES (0, 1, timestamp'294246-12-{day}'), (0, 2, timestamp'294247-01-09') AS t(p, i, t)"""


def test_an_end_that_fails(fails: Fails) -> None:
    assert fails(to_the_end("01"))


def test_an_end_that_would_fail_where_no_row_is_compared_with_it(ask: Ask) -> None:
    assert ask(to_the_end("10")) == [(1, 3), (2, 2)]


@pytest.mark.parametrize(
    "key",
    [
        "cast(id % 3 AS string)",
        "cast(id % 3 AS string) COLLATE UTF8_LCASE",
        "if(id % 3 = 0, 'a', 'A') COLLATE UNICODE_CI",
        "named_struct('a', id % 2, 'b', 'x')",
        "if(id % 4 = 0, null, cast(id % 3 AS double))",
        "id % 2, date_add(date'2026-01-01', cast(id % 3 AS int))",
    ],
)
def test_partition_keys(ask: Ask, key: str) -> None:
    sql = f"SELECT id, sum(id) OVER (PARTITION BY {key} ORDER BY id ROWS 3 PRECEDING) FROM range(0, 100, 1, 3)"
    assert len(ask(sql)) == 100


@pytest.mark.parametrize(
    "order",
    [
        "t, u",
        "t DESC NULLS FIRST, u",
        "u, t",
        "s",
        "s DESC, t NULLS LAST",
        "t, s DESC NULLS FIRST",
        "s COLLATE UTF8_LCASE, t",
        "cast(t AS decimal(38,2)), u",
        "array(t, u)",
        "t",
        "x",
    ],
)
def test_order_columns(ask: Ask, order: str) -> None:
    """Ties stay as they came: the number of the row says so."""
    source = """(SELECT id, id % 2 AS p, if(id % 9 = 2, null, id * 31 % 7) AS t, id * 17 % 5 AS u,
                        if(id % 8 = 5, null, concat('common prefix ', if(id % 3 = 0, 'B', 'b'), id * 13 % 11)) AS s,
                        if(id % 6 = 1, double('NaN'), if(id % 6 = 2, double('-0.0'), id % 6 - 3)) AS x
                 FROM range(0, 200, 1, 1))"""
    sql = f"""SELECT id, sum(id) OVER w, count(x) OVER w, collect_list(id) OVER w
              FROM {source} WINDOW w AS (PARTITION BY p ORDER BY {order} ROWS 3 PRECEDING)"""
    assert len(ask(sql)) == 200


RANGE_FRAMES = [
    ("t", "INTERVAL 1 HOUR PRECEDING AND CURRENT ROW"),
    ("t", "INTERVAL 2 DAYS PRECEDING AND INTERVAL 1 DAY FOLLOWING"),
    ("t", "INTERVAL 1 MONTH PRECEDING AND CURRENT ROW"),
    ("n", "INTERVAL 2 DAYS PRECEDING AND INTERVAL 1 DAY FOLLOWING"),
    ("n", "INTERVAL 1 MONTH PRECEDING AND CURRENT ROW"),
    ("d", "2 PRECEDING AND 1 FOLLOWING"),
    *([("d", "INTERVAL 2 DAYS PRECEDING AND CURRENT ROW")] if SPARK >= (4, 0) else []),
    ("d", "INTERVAL 1 MONTH PRECEDING AND CURRENT ROW"),
    ("f", "0.5 PRECEDING AND 1.5 FOLLOWING"),
    ("c", "0.5 PRECEDING AND 1.5 FOLLOWING"),
    ("c", "CURRENT ROW AND UNBOUNDED FOLLOWING"),
]


@pytest.mark.parametrize(
    ("key_and_frame", "direction"), crossed(RANGE_FRAMES, ["", "DESC", "DESC NULLS FIRST", "ASC NULLS LAST"])
)
def test_range_frames(spark: SparkSession, ask: Ask, key_and_frame: tuple[str, str], direction: str) -> None:
    """Over the night in which New York's clocks go forward."""
    key, frame = key_and_frame
    source = """(SELECT id, p, t, cast(t AS timestamp_ntz) AS n, cast(t AS date) AS d,
                        if(id % 10 = 3, double('NaN'), id % 40 / 4) AS f,
                        cast(id % 40 / 4 AS decimal(9,3)) AS c
                 FROM (SELECT id, id % 2 AS p, if(id % 13 = 4, null,
                              timestamp'2026-03-07 12:00:00' + make_dt_interval(0, 0, cast(id * 37 % 3000 AS int))) AS t
                       FROM range(0, 200, 1, 1)))"""
    sql = f"""SELECT id, count(*) OVER w, sum(id) OVER w FROM {source}
              WINDOW w AS (PARTITION BY p ORDER BY {key} {direction} RANGE BETWEEN {frame})"""
    assert algorithms(spark, sql) == ["array-kernels"]
    assert len(ask(sql, session_timeZone="America/New_York")) == 200


@pytest.mark.parametrize("key", ["id", "cast(id AS string)", "id % 7"])
def test_a_frame_over_many_partitions(ask: Ask, key: str) -> None:
    sql = f"SELECT id, sum(id) OVER (PARTITION BY {key} ORDER BY id DESC ROWS 2 PRECEDING) FROM range(0, 5000, 1, 2)"
    assert len(ask(sql)) == 5000


def test_rows_with_text_keep_it(ask: Ask) -> None:
    sql = """SELECT concat('row ', repeat('x', cast(id % 40 AS int))) AS a, if(id % 3 = 0, null, array(id)) AS b,
                    avg(id) OVER (PARTITION BY id % 4 ORDER BY id ROWS 5 PRECEDING) AS c, id
             FROM range(0, 500, 1, 2)"""
    assert len(ask(sql)) == 500


def test_more_fields_than_a_word_of_null_bits(ask: Ask) -> None:
    fields = ", ".join(f"if(id % 3 = 0, null, id + {i}) AS f{i}" for i in range(62))
    sums = ", ".join(f"sum(f{i}) OVER w AS s{i}" for i in range(6))
    sql = f"""SELECT *, {sums} FROM (SELECT id, {fields} FROM range(0, 60, 1, 2))
              WINDOW w AS (PARTITION BY id % 4 ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING)"""
    assert len(ask(sql)) == 60
