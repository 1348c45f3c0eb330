"""Every window function of Spark, over every kind of window, alone and beside others."""

from __future__ import annotations

import itertools

import pytest
from cases import crossed, long_if
from plans import plan
from pyspark.sql import SparkSession
from sparks import SPARK, portable

import slidewise
from semantics.conftest import Ask

RANKS = ["row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(4)", "ntile(1000)"]
OFFSETS = [
    "lag({0})",
    "lag({0}, 2, {0})",
    "lag({0}, 0)",
    "lag({0}, -3)",
    "lag({0}, 1000)",
    "lead({0}, 2)",
    "lead({0}) IGNORE NULLS",
    "lead({0}, 3) IGNORE NULLS",
]
if SPARK >= (4, 0):
    # Spark 3.5 fails with a NullPointerException in partitions with fewer values.
    OFFSETS += ["lag({0}, 1, {0}) IGNORE NULLS", "lag({0}, 2, {0}) IGNORE NULLS"]
PICKS = [
    "first_value({0})",
    "last_value({0})",
    "first_value({0}) IGNORE NULLS",
    "last_value({0}) IGNORE NULLS",
    "nth_value({0}, 2)",
    "nth_value({0}, 3) IGNORE NULLS",
]
FRAMES = [
    "",
    "ROWS UNBOUNDED PRECEDING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING",
    "ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING",
]

# Ties, nulls among keys, orders and values, a partition of one row.
SOURCE = """(SELECT id, if(id % 17 = 5, NULL, if(id = 99, 9, id % 3)) AS p,
    if(id % 13 = 4, NULL, (id * 7919) % 40) AS o, if(id % 4 = 0, NULL, {value}) AS x FROM range(0, 160, 1, 2))"""
VALUES = {
    "tinyint": "cast(id % 100 AS tinyint)",
    "smallint": "cast(-id AS smallint)",
    "int": "cast(-id AS int)",
    "bigint": "id * 10000000000",
    "float": "if(id % 5 = 0, float('NaN'), cast(-id AS float))",
    "double": "if(id % 5 = 0, -0.0D, id / 7)",
    "decimal(18,4)": "cast(id AS decimal(18, 4))",
    "decimal(38,10)": "cast(id AS decimal(38, 10))",
    "boolean": "id % 3 = 0",
    "date": "date_add(DATE'1969-12-01', cast(id AS int))",
    "timestamp": "timestamp_micros(id * 86400000000 - 1)",
    "timestamp_ntz": "cast(timestamp_micros(id * 86400000000) AS timestamp_ntz)",
    "interval": "make_dt_interval(cast(id AS int))",
    "months": "make_ym_interval(0, cast(id AS int))",
    "months, days": "make_interval(0, 1, 0, cast(id AS int))",
    "string": "concat('value ', id)",
    "binary": "cast(concat('value ', id) AS binary)",
    "struct": "struct(id, concat('s', id) AS s)",
    "array": "array(id, -id)",
    "map": "map(id, 'v')",
    "collated": "concat('v', id % 7) COLLATE UTF8_LCASE",
    "variant": "parse_json(concat('[', id, ']'))",
    "void": "NULL",
}
WINDOWS = ["PARTITION BY p ORDER BY o", "PARTITION BY p ORDER BY o DESC NULLS LAST, id % 2", "ORDER BY o"]


def source(value: str) -> str:
    return SOURCE.replace("{value}", VALUES[value])


@pytest.mark.parametrize("window", WINDOWS)
def test_ranks(ask: Ask, window: str) -> None:
    calls = ", ".join(f"{rank} OVER ({window})" for rank in RANKS)
    assert len(ask(f"SELECT id, {calls} FROM {source('bigint')}")) == 160


# Each has another of its kind among the rest.
LIKE_OTHERS = ["smallint", "int", "float", "decimal(18,4)", "timestamp_ntz", "date", "months", "void"]


@pytest.mark.parametrize(
    ("value", "window"),
    crossed([value for value in VALUES if value not in LIKE_OTHERS], WINDOWS)
    + long_if(lambda *_: True, list(itertools.product(LIKE_OTHERS, WINDOWS))),
)
def test_values_of_other_rows(ask: Ask, value: str, window: str) -> None:
    calls = [f"{call.format('x')} OVER ({window})" for call in OFFSETS + PICKS]
    # PySpark cannot return intervals of months.
    shown = [f"cast({call} AS string)" for call in calls] if "months" in value else calls
    sql = f"SELECT id, {', '.join(shown)} FROM {source(value)}"
    assert len(ask(sql, whole=True)) == 160


@pytest.mark.parametrize(("frame", "value"), crossed(FRAMES, ["bigint", "string", "struct", "array"]))
def test_picks_of_frames(ask: Ask, frame: str, value: str) -> None:
    calls = ", ".join(f"{call.format('x')} OVER (PARTITION BY p ORDER BY o {frame})" for call in PICKS)
    assert len(ask(f"SELECT id, {calls} FROM {source(value)}", whole=True)) == 160


@pytest.mark.parametrize(
    ("frame", "value", "keys"), crossed(FRAMES, ["bigint", "double", "decimal(38,10)"], ["PARTITION BY p", ""])
)
def test_aggregates_of_frames(close: Ask, spark: SparkSession, frame: str, value: str, keys: str) -> None:
    functions = ["sum(x)", "avg(x)", "min(x)", "max(x)", "count(x)", "count(*)", "stddev(x)", "var_pop(x)"]
    functions += ["collect_list(x)", "max_by(id, x)", "approx_count_distinct(x)", "percentile(x, 0.5)"]
    functions += [portable("sum(x) FILTER (WHERE id % 3 = 1)")]
    calls = ", ".join(f"{function} OVER ({keys} ORDER BY o {frame})" for function in functions)
    sql = f"SELECT id, {calls} FROM {source(value)}"
    assert len(close(sql)) == 160
    assert "Window [" not in plan(spark.sql(sql)).replace("SlidingWindow [", "")


@pytest.mark.parametrize(
    ("keys", "value"),
    crossed(
        ["PARTITION BY p", "PARTITION BY p, id % 2", "PARTITION BY concat('key ', p)", ""], ["int", "decimal(38,10)"]
    ),
)
def test_without_an_order(close: Ask, spark: SparkSession, keys: str, value: str) -> None:
    functions = ["sum(x)", "avg(x)", "min(x)", "max(x)", "count(*)", "stddev(x)", "approx_count_distinct(x)"]
    calls = ", ".join(f"{function} OVER ({keys})" for function in functions)
    sql = f"SELECT * FROM (SELECT id, {calls} FROM {source(value)}) ORDER BY id"
    assert "SlidingWindow" in plan(spark.sql(sql))
    assert len(close(sql)) == 160


@pytest.mark.parametrize(
    "text",
    [
        "sum(id) OVER w, row_number() OVER w, max_by(id, -id) OVER w, lag(s) OVER w, ntile(3) OVER w",
        "lag(id) OVER w, collect_list(id) OVER (PARTITION BY p ORDER BY id ROWS 2 PRECEDING), sum(id) OVER w",
        portable(
            """rank() OVER w, nth_value(s, 2) OVER w, count(*) FILTER (WHERE id % 2 = 0) OVER w,
            sum(id) OVER (PARTITION BY p ORDER BY id RANGE BETWEEN 3 PRECEDING AND 1 FOLLOWING), lead(s, 2) OVER w,
            min(s) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
            cume_dist() OVER w,
            max(id) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"""
        ),
    ],
)
def test_one_operator_and_one_sort(ask: Ask, spark: SparkSession, text: str) -> None:
    sql = f"""SELECT id, {text} FROM (SELECT id, id % 3 AS p, concat('s', id) AS s FROM range(40))
        WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id"""
    assert len(ask(sql)) == 40
    frame = spark.sql(sql)
    executed = plan(frame).split("Initial Plan")[0]
    assert executed.count("SlidingWindow [") == 1
    assert executed.count("Exchange hashpartitioning") == 1
    assert [row.slidewise for row in slidewise.explain(frame).collect()] == [True] * text.count("OVER")


def test_the_columns_stay_in_their_order(ask: Ask) -> None:
    moving = "sum(x) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)"
    answer = ask(
        f"SELECT id, collect_list(x) OVER w AS l, {moving} AS a, row_number() OVER w AS b, rank() OVER w AS d "
        "FROM (SELECT id, id % 3 AS p, if(id % 4 = 0, NULL, id * id) AS x FROM range(40)) "
        "WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id"
    )
    assert answer[0] == (0, [], 9, 1, 1)


@pytest.mark.parametrize(
    ("order", "radix"), crossed(["o", "o DESC", "o NULLS LAST", "o DESC NULLS FIRST"], ["true", "false"])
)
def test_ties_beside_nulls_come_as_sparks_sort_leaves_them(ask: Ask, order: str, radix: str) -> None:
    sql = f"SELECT id, row_number() OVER (ORDER BY {order}), lag(id) OVER (ORDER BY {order}) FROM {source('int')}"
    assert len(ask(sql, sort_enableRadixSort=radix)) == 160


@pytest.mark.parametrize("radix", ["true", "false"])
def test_rows_without_an_order_come_as_sparks_sort_by_key_leaves_them(ask: Ask, radix: str) -> None:
    by_key = f"SELECT id, collect_list(id) OVER (PARTITION BY p ROWS UNBOUNDED PRECEDING) FROM {source('int')}"
    assert len(ask(by_key, sort_enableRadixSort=radix)) == 160


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_rows(ask: Ask, rows: int) -> None:
    calls = ", ".join(f"{call.format('id')} OVER (ORDER BY id)" for call in RANKS + OFFSETS + PICKS)
    assert len(ask(f"SELECT id, {calls} FROM range({rows})", adaptive_enabled="false")) == rows


def test_running_sums_of_decimals_and_longs_overflow_as_in_spark(fails, ask: Ask) -> None:
    rows = f"(SELECT id, if(id > 3, {2**62}, id) AS x FROM range(0, 9, 1, 1))"
    assert fails(f"SELECT sum(x) OVER (ORDER BY id) FROM {rows}") == "ARITHMETIC_OVERFLOW"
    assert ask(f"SELECT try_sum(x) OVER (ORDER BY id) FROM {rows}")[-1] == (None,)
    assert len(ask(f"SELECT sum(x) OVER (ORDER BY id) FROM {rows}", ansi_enabled="false")) == 9


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("row_number() OVER (PARTITION BY p ORDER BY a)", "max(id) OVER (PARTITION BY p ORDER BY a, b DESC)"),
        ("rank() OVER (PARTITION BY p ORDER BY s)", "lag(id) OVER (PARTITION BY p ORDER BY s, b)"),
        (
            "sum(id) OVER (PARTITION BY p ORDER BY a ROWS 1 PRECEDING)",
            "sum(id) OVER (PARTITION BY p ORDER BY a, b ROWS 2 PRECEDING)",
        ),
        (
            "sum(id) OVER (PARTITION BY p ROWS 1 PRECEDING)",
            "sum(id) OVER (PARTITION BY p ORDER BY a, id ROWS 2 PRECEDING)",
        ),
        ("lag(id) OVER (ORDER BY a)", "dense_rank() OVER (ORDER BY a, b)"),
    ],
)
def test_windows_whose_orders_begin_alike_share_a_sort_where_sparks_do(ask: Ask, first: str, second: str) -> None:
    columns = "id, id % 2 AS p, (id * 7) % 5 AS a, (id * 11) % 13 AS b, concat('s', id % 3) AS s"
    for one, other in ((first, second), (second, first)):
        assert len(ask(f"SELECT id, {one}, {other} FROM (SELECT {columns} FROM range(0, 40, 1, 1))")) == 40
