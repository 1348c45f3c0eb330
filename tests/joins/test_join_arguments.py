"""Wrong arguments of slidewise.window_join and slidewise.asof_join fail at once, and say what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

import slidewise
import slidewise.functions as sw
from joins.tables import tables


def windows(left: Any, right: Any, aggregate: Any = "sum(x)", frame: Any = None, **arguments: Any) -> Any:
    hour = sw.trailing(interval="1 hour") if frame is None else frame
    return slidewise.window_join(left, right, {"s": (aggregate, hour)}, **{"on": "ts", **arguments})


def as_of(left: Any, right: Any, **arguments: Any) -> Any:
    return slidewise.asof_join(left, right, **{"on": "ts", **arguments})


def stream(table: Any) -> Any:
    return table.sparkSession.readStream.format("rate").load().withColumnRenamed("timestamp", "ts")


Call = Callable[[Any, Any], Any]
WRONG: list[tuple[Call, type[Exception], str]] = [
    (lambda a, b: windows("a", b), TypeError, "left is 'a', but must be a DataFrame of Spark"),
    (lambda a, b: windows(a, None), TypeError, "right is None, but must be a DataFrame"),
    (lambda a, b: windows(a, [b]), TypeError, "right is a builtins.list, but must be a DataFrame of Spark"),
    (lambda a, b: windows(a, b, on=None), ValueError, "on is None, but must name the column of times of both tables"),
    (lambda a, b: windows(a, b, on="t"), ValueError, "on is 't', but left has the columns id, k, ts"),
    (lambda a, b: windows(a, b, on="id"), ValueError, "on is 'id', but right has the columns k, ts, x"),
    (lambda a, b: windows(a, b, left_on="ts"), ValueError, "left_on is 'ts' and right_on is None, but on excludes"),
    (lambda a, b: as_of(a, b, on=None, right_on="ts"), ValueError, "left_on and right_on must be given together"),
    (lambda a, b: as_of(a, b, on=["ts"]), TypeError, "on is ['ts'], but must be the name of a column"),
    (lambda a, b: as_of(a.join(a.select("ts")), b), ValueError, "left has several columns with this name"),
    (lambda a, b: as_of(a, b, by=3), TypeError, "by is 3, but must be the name of a column, or a list of names"),
    (lambda a, b: as_of(a, b, left_by="k", right_by=["k", "x"]), ValueError, "right_by is ['k', 'x'], but both must"),
    (
        lambda a, b: as_of(a, b, on=None, left_on="ts", right_on="x"),
        TypeError,
        "left_on is 'ts', a time of left, and right_on is 'x', a number of right",
    ),
    (lambda a, b: windows(a, b, "sum(y)"), AnalysisException, "UNRESOLVED_COLUMN"),
    (lambda a, b: windows(a, b, 3), TypeError, "aggregates['s'] has the aggregate 3, but must have a Column or SQL"),
    (lambda a, b: windows(a, b, frame="1 hour"), TypeError, "the frame of aggregates['s'] is '1 hour', but must be"),
    (lambda a, b: windows(a, b, frame=sw.trailing(3)), ValueError, "slidewise.functions.trailing or centered"),
    (
        lambda a, b: windows(a, b, frame=sw.trailing(interval="1 day").partitionBy("k")),
        ValueError,
        "without partitionBy and orderBy: `by` and `on` name the keys and the time",
    ),
    (lambda a, b: windows(a, b, frame=sw.trailing(3)), ValueError, "the frame of aggregates['s'] has a number of rows"),
    (lambda a, b: windows(a, b, frame=Window.partitionBy("k")), ValueError, "the frame of aggregates['s'] has keys"),
    (lambda a, b: windows(a, b, frame=Window.orderBy("ts")), ValueError, "the frame of aggregates['s'] has an order"),
    (
        lambda a, b: windows(a, b, frame=Window.rangeBetween(-5, 0)),
        TypeError,
        "the frame of aggregates['s'] is of numbers, but on, 'ts', is a time",
    ),
    (
        lambda a, b: windows(a, b, frame=Window.rangeBetween(Window.unboundedPreceding, Window.unboundedFollowing)),
        ValueError,
        "the frame of aggregates['s'] is unbounded on both sides, but must have a bound",
    ),
    (lambda a, b: windows(a, b.withColumn("k2", F.col("k")), on="k"), TypeError, "on is 'k' of type string, but a"),
    (lambda a, b: windows(a, b, closed="all"), ValueError, "closed is 'all', but must be 'left', 'right', 'both'"),
    (lambda a, b: windows(a, b, include_prevailing=1), TypeError, "include_prevailing is 1, but must be True or"),
    (lambda a, b: slidewise.window_join(a, b, {}, on="ts"), TypeError, "aggregates is {}, but must be a dictionary"),
    (lambda a, b: slidewise.window_join(a, b, {"s": 1}, on="ts"), TypeError, "must be a pair of an aggregate and its"),
    (
        lambda a, b: slidewise.window_join(a, b, {"ID": ("sum(x)", sw.trailing(interval="1 day"))}, on="ts"),
        ValueError,
        "aggregates has the key 'ID', but left has the columns id, k, ts",
    ),
    (lambda a, b: as_of(a, b, direction="back"), ValueError, "direction is 'back', but must be 'backward', 'forward'"),
    (lambda a, b: as_of(a, b, tolerance=5), ValueError, "tolerance is 5, but must be whole numbers of weeks, days"),
    (lambda a, b: as_of(b, b, on="x", tolerance="1 day"), TypeError, "tolerance is '1 day', but must be a number"),
    (
        lambda a, b: as_of(b, b, on="x", tolerance=-1),
        ValueError,
        "tolerance is -1, but must be finite and not negative",
    ),
    (
        lambda a, b: as_of(b, b, on="x", tolerance=1e40),
        ValueError,
        "tolerance is 1e+40, but must have at most 38 digits",
    ),
    (lambda a, b: windows(stream(a), b), ValueError, "left is a streaming DataFrame, but must be a table"),
    (lambda a, b: as_of(a, stream(a)), ValueError, "right is a streaming DataFrame, but must be a table"),
    (lambda a, b: as_of(a, b, on="k", direction="nearest"), TypeError, "type string, but direction='nearest' needs"),
    (lambda a, b: as_of(a, b, allow_exact_matches=None), TypeError, "allow_exact_matches is None, but must be True"),
    (lambda a, b: as_of(a, b, suffixes="_x"), TypeError, "suffixes is '_x', but must be a pair of strings or None"),
    (lambda a, b: as_of(a, b, suffixes=(None, None)), ValueError, "the result has several columns named 'k'"),
    (lambda a, b: as_of(a, b, by=None, left_by="ts", right_by="x"), AnalysisException, "DATATYPE_MISMATCH"),
]


def check(spark: SparkSession, call: Call, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        call(*tables(spark))
    assert words in str(caught.value)


def test_wrong_arguments(spark: SparkSession) -> None:
    for call, error, words in WRONG:
        check(spark, call, error, words)


def test_columns_that_are_no_aggregates(spark: SparkSession) -> None:
    for column in (F.lit(1), F.col("x"), F.row_number().over(Window.orderBy("x"))):
        with pytest.raises(ValueError, match=r"aggregates\['s'\] has .*, but must have an aggregate of rows"):
            windows(*tables(spark), column)


def test_names_that_differ_in_case(spark: SparkSession) -> None:
    left, right = tables(spark)
    assert windows(left, right, on="TS", by="K").columns == ["id", "k", "ts", "s"]
    spark.conf.set("spark.sql.caseSensitive", " True")
    try:
        check(spark, lambda a, b: windows(a, b, on="TS"), ValueError, "on is 'TS', but left has the columns id, k, ts")
        two = left.withColumn("TS", F.lit("another"))
        assert windows(two, right).columns == ["id", "k", "ts", "TS", "s"]
        assert as_of(two, right, by="k").columns == ["id", "k", "ts", "TS", "x"]
    finally:
        spark.conf.unset("spark.sql.caseSensitive")
