"""Frames at their edges: empty ones, none at all, one row, offsets of zero, peers and nulls."""

from __future__ import annotations

import pytest
from cases import crossed
from plans import plan
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession, Window
from pyspark.sql.functions import count
from session import settings

import slidewise
from semantics.conftest import Ask

FIVE = "VALUES (1, 10), (2, 20), (3, 30), (4, 40), (5, 50) AS t(i, x)"


@pytest.mark.parametrize(
    ("frame", "sums"),
    [
        ("ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", [10, 30, 50, 70, 90]),
        ("ROWS BETWEEN CURRENT ROW AND CURRENT ROW", [10, 20, 30, 40, 50]),
        ("ROWS BETWEEN 0 PRECEDING AND 0 FOLLOWING", [10, 20, 30, 40, 50]),
        ("ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING", [None, None, 10, 30, 50]),
        ("ROWS BETWEEN 5 PRECEDING AND 3 PRECEDING", [None, None, None, 10, 30]),
        ("ROWS BETWEEN 2 FOLLOWING AND 4 FOLLOWING", [120, 90, 50, None, None]),
        ("ROWS BETWEEN 7 FOLLOWING AND 9 FOLLOWING", [None] * 5),
        ("ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING", [140, 120, 90, 50, None]),
        ("ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING", [150, 150, 140, 120, 90]),
        ("ROWS BETWEEN 2147483647 PRECEDING AND 1 FOLLOWING", [30, 60, 100, 150, 150]),
        ("ROWS BETWEEN CURRENT ROW AND 2147483647 FOLLOWING", [150, 140, 120, 90, 50]),
        ("ROWS BETWEEN 2147483647 FOLLOWING AND 2147483647 FOLLOWING", [None] * 5),
        ("ROWS BETWEEN CURRENT ROW AND 1 PRECEDING", [None] * 5),
        ("ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW", [None] * 5),
        ("ROWS BETWEEN CURRENT ROW AND 2147483647 PRECEDING", [None] * 5),
        ("RANGE BETWEEN CURRENT ROW AND 1 PRECEDING", [None] * 5),
        ("RANGE BETWEEN 0 PRECEDING AND CURRENT ROW", [10, 20, 30, 40, 50]),
        ("RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING", [30, 60, 90, 120, 90]),
        ("RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", [150, 140, 120, 90, 50]),
    ],
)
def test_sums(ask: Ask, frame: str, sums: list[int | None]) -> None:
    answer = ask(f"SELECT i, sum(x) OVER (ORDER BY i {frame}), count(x) OVER (ORDER BY i {frame}) FROM {FIVE}")
    assert [row[1] for row in answer] == sums


# Together, these take every algorithm over tables.
EVERY_ALGORITHM = [
    *("sum(x)", "sum(cast(x AS double))", "avg(x)", "min(x)", "max(cast(x AS double))", "stddev_samp(x)"),
    *("count(*)", "count(x)", "bool_or(x > 3)", "sum(cast(x AS decimal(30, 2)))", "max(struct(x, s))", "min(s)"),
    *("first_value(x)", "last_value(s)", "nth_value(x, 2)", "first_value(x, true)", "max_by(s, x)"),
    *("percentile(x, array(0.1, 0.9))", "mode(x)", "mode(s)", "percentile_approx(x, 0.5)"),
    *("approx_count_distinct(x)", "collect_list(x)", "collect_set(x)", "approx_count_if(x > 3, 0.1)"),
]
# Spark alone refuses these.
OURS = ["count(DISTINCT x)", "sum(DISTINCT x)", "count(DISTINCT s)", "avg(DISTINCT cast(x AS double))", "median(x)"]


@pytest.mark.parametrize("bounds", ["CURRENT ROW AND {} PRECEDING", "{} FOLLOWING AND CURRENT ROW"])
@pytest.mark.parametrize("unit", ["ROWS", "RANGE"])
def test_a_frame_that_ends_before_it_begins_is_empty(spark: SparkSession, ask: Ask, unit: str, bounds: str) -> None:
    rows = "FROM (SELECT int(id) i, id % 3 k, id % 7 x, string(id % 5) s FROM range(60)) ORDER BY i"
    far = 2147483647 if unit == "ROWS" else 99
    for distance, keys in ((1, ""), (3, "PARTITION BY k"), (1000, "PARTITION BY k"), (far, "")):
        over = f"OVER ({keys} ORDER BY i {unit} BETWEEN {bounds.format(distance)})"
        for sort in ("true", "false"):
            with settings(spark, {"spark.slidewise.sort.enabled": sort}):
                ask(f"SELECT {', '.join(f'{call} {over}' for call in EVERY_ALGORITHM)} {rows}", whole=True)
                answer = spark.sql(f"SELECT {', '.join(f'{call} {over}' for call in OURS)} {rows}").collect()
                assert set(map(tuple, answer)) == {(0, None, 0, None, None)}


def test_the_least_bound_is_left_to_spark(spark: SparkSession, ask: Ask) -> None:
    over = Window.orderBy("id").rowsBetween(-(2**31), 0)
    frame = spark.range(9).withColumn("n", count("*").over(over))
    frame.createOrReplaceTempView("least_bound")
    assert [n for _, n in ask("SELECT * FROM least_bound", taken=False)] == [0] * 9


def test_a_null_bound_is_left_to_spark(spark: SparkSession) -> None:
    over = "OVER (ORDER BY id ROWS BETWEEN CAST(NULL AS INT) PRECEDING AND CURRENT ROW)"
    frame = spark.sql(f"SELECT sum(id) {over} FROM range(5)")
    (report,) = slidewise.explain(frame).collect()
    assert report.reason == "a bound of the frame is null rows away"
    with pytest.raises(Py4JJavaError):
        frame.collect()


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        ("ROWS BETWEEN -2147483648 FOLLOWING AND CURRENT ROW", "-2147483648 FOLLOWING"),
        ("RANGE BETWEEN (-9223372036854775807L - 1L) FOLLOWING AND CURRENT ROW", "-9223372036854775808L FOLLOWING"),
        ("RANGE BETWEEN 9223372036854775807L PRECEDING AND CURRENT ROW", "9223372036854775807L PRECEDING"),
    ],
)
def test_explain_names_the_least_bound(spark: SparkSession, bounds: str, text: str) -> None:
    frame = spark.sql(f"SELECT sum(id) OVER (PARTITION BY id % 2 ORDER BY id {bounds}) FROM range(5)")
    (report,) = slidewise.explain(frame).collect()
    assert f"BETWEEN {text} AND CURRENT ROW" in report.sql


def test_peers_enter_together(ask: Ask) -> None:
    tied = "VALUES (1, 1), (1, 2), (2, 4), (3, 8), (3, 16) AS t(k, x)"
    answer = ask(f"SELECT k, x, sum(x) OVER (ORDER BY k RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM {tied}")
    assert [row[2] for row in answer] == [7, 7, 28, 24, 24]


def test_nulls_are_peers_of_nulls_alone(ask: Ask) -> None:
    keys = "VALUES (NULL, 1), (NULL, 2), (1, 4), (2, 8) AS t(k, x)"
    for nulls in ("FIRST", "LAST"):
        answer = ask(
            f"SELECT k, x, sum(x) OVER (ORDER BY k NULLS {nulls} RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM {keys}"
        )
        assert {(k, total) for k, _, total in answer} == {(None, 3), (1, 12), (2, 12)}


@pytest.mark.parametrize("direction", ["ASC", "DESC"])
def test_nan_and_infinity_as_order_keys(ask: Ask, direction: str) -> None:
    keys = "VALUES (double('NaN'), 1), (double('Infinity'), 2), (double('-Infinity'), 4), (1D, 8), (2D, 16) AS t(k, x)"
    for frame in ("1D PRECEDING AND 1D FOLLOWING", "1D FOLLOWING AND UNBOUNDED FOLLOWING"):
        answer = ask(f"SELECT k, sum(x) OVER (ORDER BY k {direction} RANGE BETWEEN {frame}) FROM {keys}")
        assert len(answer) == 5


def test_a_table_of_no_rows(ask: Ask) -> None:
    sql = "SELECT id, sum(id) OVER (PARTITION BY id % 2 ORDER BY id ROWS 1 PRECEDING) FROM range(9) WHERE rand(1) > 2"
    assert ask(sql, taken=False) == []


def test_one_row(ask: Ask) -> None:
    sql = "SELECT sum(x) OVER (ORDER BY x ROWS 1 PRECEDING), first(x) OVER (ORDER BY x ROWS 1 PRECEDING)"
    assert ask(f"{sql} FROM VALUES (7) AS t(x)") == [(7, 7)]


def test_as_many_partitions_as_rows(ask: Ask) -> None:
    answer = ask("SELECT id, sum(id) OVER (PARTITION BY id ORDER BY id ROWS 3 PRECEDING) FROM range(1000) ORDER BY id")
    assert answer == [(i, i) for i in range(1000)]


def test_partitions_of_all_sizes(ask: Ask) -> None:
    answer = ask(
        """SELECT p, id, sum(1) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING)
           FROM (SELECT id, cast(log2(id + 1) AS int) AS p FROM range(600)) ORDER BY id"""
    )
    assert [row[2] for row in answer[:7]] == [1, 2, 2, 3, 4, 4, 3]


def test_string_partition_keys(ask: Ask) -> None:
    answer = ask(
        """SELECT s, x, sum(x) OVER (PARTITION BY s ORDER BY x ROWS 1 PRECEDING)
           FROM VALUES ('', 1), ('a', 2), (NULL, 4), ('', 8), ('a', 16), (NULL, 32), ('a ', 64) AS t(s, x) ORDER BY x"""
    )
    assert [row[2] for row in answer] == [1, 2, 4, 9, 18, 36, 64]


def test_signed_zeros_and_nans_are_one_partition_each(ask: Ask) -> None:
    answer = ask(
        """SELECT x, sum(x) OVER (PARTITION BY d ORDER BY x ROWS 1 PRECEDING)
           FROM VALUES (0D, 1), (-0D, 2), (double('NaN'), 4), (-double('NaN'), 8) AS t(d, x) ORDER BY x"""
    )
    assert [row[1] for row in answer] == [1, 3, 4, 12]


def test_no_partition_key_and_two_order_keys(ask: Ask) -> None:
    answer = ask(
        """SELECT a, b, collect_list(x) OVER (ORDER BY a DESC, b ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
           FROM VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c'), (2, 2, 'd') AS t(a, b, x) ORDER BY a DESC, b"""
    )
    assert [row[2] for row in answer] == [["c", "d"], ["c", "d", "a"], ["d", "a", "b"], ["a", "b"]]


def test_an_expression_as_key_argument_and_filter(ask: Ask) -> None:
    answer = ask(
        """SELECT id, sum(id * 2 + 1) FILTER (WHERE id % 2 = 0)
             OVER (PARTITION BY id % 3 ORDER BY -id RANGE BETWEEN 3 PRECEDING AND CURRENT ROW)
           FROM range(9) ORDER BY id"""
    )
    assert answer[0] == (0, 1)
    assert answer[5] == (5, 17)


@pytest.mark.parametrize(
    ("order", "partition"),
    crossed(
        ["1", "NULL", "'text' DESC", "array(NULL, 1)", "'text', id", "id, id", "id DESC NULLS FIRST, id"],
        ["", "PARTITION BY 7", "PARTITION BY NULL", "PARTITION BY 'text', array(1)"],
    ),
)
def test_keys_that_say_nothing(ask: Ask, partition: str, order: str) -> None:
    answer = ask(
        f"""SELECT id, count(*) OVER ({partition} ORDER BY {order} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
            FROM range(0, 10, 1, 1) ORDER BY 2, 1"""
    )
    assert [n for _, n in answer] == [1] + [2] * 9


@pytest.mark.parametrize(
    ("call", "length", "algorithm"),
    [
        ("max_by(id, x)", 2, "recalculation"),
        ("max_by(id, x)", 3, "two-stacks-lite"),
        ("approx_count_distinct(x)", 8, "recalculation"),
        ("approx_count_distinct(x)", 9, "two-stacks-lite-sketches"),
    ],
)
@pytest.mark.parametrize("shift", [0, -3, 3])
def test_frames_of_few_rows_are_recalculated(
    spark: SparkSession, ask: Ask, call: str, length: int, algorithm: str, shift: int
) -> None:
    lower, upper = (f"{abs(n)} {'PRECEDING' if n < 0 else 'FOLLOWING'}" for n in (shift - length + 1, shift))
    sql = f"""SELECT id, {call} OVER (PARTITION BY p ORDER BY id ROWS BETWEEN {lower} AND {upper})
              FROM (SELECT id, id % 3 AS p, if(id % 5 = 2, null, id * 7 % 11) AS x FROM range(0, 100, 1, 1))"""
    assert f"SlidingWindow [{algorithm}]" in plan(spark.sql(sql))
    assert len(ask(sql)) == 100


def test_a_frame_by_key_is_not_taken_for_one_of_few_rows(spark: SparkSession) -> None:
    sql = "SELECT max_by(id, id) OVER (PARTITION BY id % 2 ORDER BY id RANGE 1 PRECEDING) FROM range(9)"
    assert "SlidingWindow [two-stacks-lite]" in plan(spark.sql(sql))
