"""Aggregators over frames: the same answers as the SQL aggregate that means the same."""

from __future__ import annotations

import math
import random

import pytest
from plans import plan
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sf
from pyspark.sql.window import WindowSpec
from random_queries import seed_or
from sparks import needs_spark

import slidewise
from aggregators.classes import CALLS, Call, Earliest, Mean, MeanInBatches, Words

SEED = seed_or(22)
UNBOUNDED = Window.unboundedFollowing
# By what the rows are ordered, the kind of the frame, and its bounds.
FRAMES = {
    "rows": ("id", "rows", -9, 0),
    "long rows": ("id", "rows", -400, 0),
    "rows around": ("id", "rows", -3, 12),
    "rows before": ("id", "rows", -30, -5),
    "rows after": ("id", "rows", 5, 300),
    "rows that end before they begin": ("id", "rows", 0, -3),
    "range": ("o", "range", -5, 3),
    "range, descending": ("o DESC", "range", -5, 3),
    "growing": ("id", "rows", -UNBOUNDED, 0),
    "growing by peers": ("o", "range", -UNBOUNDED, 0),
    "growing ahead": ("id", "rows", -UNBOUNDED, 7),
    "shrinking": ("id", "rows", 0, UNBOUNDED),
    "partition": ("o", "range", -UNBOUNDED, UNBOUNDED),
    "all rows": (None, "rows", -UNBOUNDED, UNBOUNDED),
    "no keys": (None, "rows", -99, 0),
}


def window(frame: str) -> WindowSpec:
    order, kind, low, high = FRAMES[frame]
    by = {"o": ["o"], "o DESC": [sf.desc("o")], "id": ["o", "id"], None: ["id"]}[order]
    keys = Window.orderBy(*by) if order is None else Window.partitionBy("k").orderBy(*by)
    return keys.rangeBetween(low, high) if kind == "range" else keys.rowsBetween(low, high)


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    """Keys of 1 to 2,000 rows; nulls, NaN, peers; more rows than one Arrow batch holds."""
    frame = spark.range(0, 11_000, 1, 3).selectExpr(
        "id",
        "cast(least(log2(id + 1), 10) AS int) AS k",
        "if(id % 7 = 0, NULL, hash(id, 2) % 40) AS o",
        "if(id % 11 = 0, NULL, if(id = 5000, double('NaN'), cast(hash(id) % 100 AS double))) AS x",
        "if(id % 13 = 0, NULL, hash(id, 3) % 1000000007) AS n",
        "if(id % 5 = 0, NULL, chr(97 + id % 26)) AS word",
        "timestamp_micros(1600000000000000 + id * 997) AS at",
        "cast(id / 8 AS decimal(12, 3)) AS amount",
    )
    frame.createOrReplaceTempView("aggregators_rows")
    return frame.cache()


def same(a: object, b: object, near: bool) -> bool:
    if near and isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def assert_same(rows: DataFrame, call: Call, over: WindowSpec) -> None:
    mine = rows.select("id", call.column(*call.arguments).over(over).alias("found"))
    assert "PythonSlidingWindow" in plan(mine)
    theirs = rows.select("id", call.expected.over(over).alias("found"))
    if call.after:
        theirs = theirs.selectExpr("id", f"{call.after} AS found")
    found, expected = dict(mine.collect()), dict(theirs.collect())
    assert found.keys() == expected.keys()
    wrong = {i: (found[i], expected[i]) for i in expected if not same(found[i], expected[i], call.near)}
    assert not wrong, dict(list(wrong.items())[:3])


def has_ties(frame: str) -> bool:
    """Whether rows of one frame have no order among each other, so that ordered results differ."""
    return FRAMES[frame][1] == "range"


def test_rows_that_wait_are_read_before_their_page_is_freed(spark: SparkSession) -> None:
    """Three columns of eight bytes: pages of the log end where rows are released."""
    count = 20_000
    frame = spark.range(0, count, 1, 1).selectExpr("id div 1000000 AS k", "id AS t", "cast(id AS double) AS x")
    ahead = Window.partitionBy("k").orderBy("t").rowsBetween(0, UNBOUNDED)
    found = frame.select("k", "t", "x", slidewise.udaf(Mean())("x").over(ahead)).collect()
    assert sorted(map(tuple, found)) == [(0, i, float(i), (i + count - 1) / 2) for i in range(count)]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", CALLS)
def test_frames(rows, name, frame):
    if has_ties(frame) and name in ("words", "in-place", "newest"):
        pytest.skip("the order of peers is not known")
    has_long_results = name in ("words", "in-place") and not frame.startswith("rows ")
    small = rows.where("id < 600") if has_long_results else rows
    assert_same(small, CALLS[name], window(frame))


def test_reports(rows):
    functions = {"python-two-stacks-lite": Mean(), "python-arrays": MeanInBatches()}
    columns = [slidewise.udaf(f)("x").over(window("rows")) for f in functions.values()]
    found = slidewise.explain(rows.select(*columns)).collect()
    assert [(row.slidewise, row.algorithm) for row in found] == [(True, name) for name in functions]


@needs_spark("4.1", "no structs as results of aggregates in Python")
@pytest.mark.parametrize("zone", ["America/Los_Angeles", "+08:00", "UTC", "Z", "PST"])
def test_times_are_local_to_the_session(spark, rows, zone):
    earliest = slidewise.udaf(Earliest())("at")
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        found = rows.select("id", earliest.over(window("rows around")).alias("found"))
        expected = rows.select("id", sf.min("at").over(window("rows around")).alias("at"))
        different = found.join(expected, "id").where("NOT (found.at <=> at AND found.hour <=> hour(at))")
        assert different.collect() == []
        by_key = (
            rows.groupBy("k").agg(earliest.alias("found")).join(rows.groupBy("k").agg(sf.min("at").alias("at")), "k")
        )
        assert by_key.where("NOT (found.at <=> at AND found.hour <=> hour(at))").collect() == []
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_several_functions_and_frames_in_one_operator(rows):
    columns = {
        name: slidewise.udaf(Words())("word").over(window(name))
        for name in ("rows", "rows around", "growing", "rows after")
    }
    small = rows.where("id < 900")
    mine = small.select("id", *[c.alias(name) for name, c in columns.items()])
    assert plan(mine).count("PythonSlidingWindow") == 1
    theirs = small.select("id", *[sf.collect_list("word").over(window(name)).alias(name) for name in columns])
    expected = {row.id: tuple("".join(words) for words in row[1:]) for row in theirs.collect()}
    assert {row.id: tuple(row[1:]) for row in mine.collect()} == expected


def test_off_is_the_same(spark, rows):
    small = rows.where("id < 300")
    frame = small.select("id", slidewise.udaf(Mean())("x").over(window("rows")).alias("found"))
    on = dict(frame.collect())
    spark.conf.set("spark.slidewise.enabled", "false")
    try:
        off = small.select("id", slidewise.udaf(Mean())("x").over(window("rows")).alias("found"))
        assert "PythonSlidingWindow" not in plan(off)
        assert dict(off.collect()) == on
    finally:
        spark.conf.unset("spark.slidewise.enabled")


@needs_spark("4.0", "no named arguments of Python functions")
@pytest.mark.parametrize("aggregator", [Mean(), MeanInBatches()], ids=["rows", "batches"])
def test_filter(spark, rows, aggregator):
    slidewise.register(spark, "py_mean", aggregator)
    over = "OVER (PARTITION BY k ORDER BY o, id ROWS 40 PRECEDING)"
    frame = spark.sql(
        f"SELECT id, py_mean(x, filter => n > 0) {over} AS argument, py_mean(x) FILTER (WHERE n > 0) {over} AS clause, "
        f"avg(if(n > 0, x, NULL)) {over} AS expected FROM aggregators_rows"
    )
    assert "PythonSlidingWindow" in plan(frame)
    assert frame.where("NOT (argument <=> expected OR abs(argument - expected) < 1e-9)").collect() == []
    assert frame.where("NOT (clause <=> argument)").collect() == []


def test_empty_tables_and_single_rows(spark, rows):
    for call in CALLS.values():
        one = call.column(*call.arguments)
        assert rows.where("id < 0").select(one.over(window("rows"))).collect() == []
        found = rows.where("id = 9").select(one.over(window("rows before")).alias("found"))
        expected = {"words": "", "in-place": []}
        assert [row.found for row in found.collect()] == [expected.get(name_of(call))]


def name_of(call: Call) -> str:
    return next(name for name, other in CALLS.items() if other is call)


def test_frames_of_random_queries(rows, random_queries):
    def ask(index: int) -> None:
        chance = random.Random(f"{SEED} {index}")
        low = chance.choice([Window.unboundedPreceding, -chance.randint(0, 600), chance.randint(0, 20)])
        high = chance.choice([UNBOUNDED, max(low, -600) + chance.randint(0, 600)])
        keys = chance.choice([["k"], ["k", "word"], []])
        name = chance.choice(["mean", "mean-in-batches", "longest", "newest"])
        over = Window.partitionBy(*keys).orderBy("id").rowsBetween(low, high)
        assert_same(rows.where(f"id < {chance.randint(1, 6000)}"), CALLS[name], over)

    random_queries.ask_each(ask, SEED, 6)
