"""Aggregators that are not what they should be, and those that fail while they run."""

from __future__ import annotations

import sys
import types
from abc import ABC
from collections import Counter

import numpy as np
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Column, Window
from pyspark.sql.types import (
    ArrayType,
    DoubleType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    YearMonthIntervalType,
)
from sparks import SPARK_ERRORS, needs_streams

import slidewise
from aggregators.classes import Mean, MeanInBatches


def over_last(function: Column) -> Column:
    return function.over(Window.partitionBy("k").orderBy("id").rowsBetween(-9, 0))


def test_other_objects():
    for other in (Mean, "mean", object()):
        with pytest.raises(TypeError, match=r"aggregator must be an instance of slidewise\.Aggregator, but is"):
            slidewise.udaf(other)
    with pytest.raises(TypeError, match=r"slidewise\.udaf\(Mean\(\)\) makes a function of it"):
        Mean()("x")


@pytest.mark.parametrize(
    ("attribute", "value", "error", "words"),
    [
        (
            "bufferSchema",
            LongType(),
            TypeError,
            "bufferSchema must be a StructType with a field or more, but is LongType",
        ),
        ("bufferSchema", StructType([]), TypeError, "bufferSchema must be a StructType with a field or more"),
        ("outputType", "double", TypeError, "outputType must be a DataType, but is 'double'"),
        ("outputType", YearMonthIntervalType(), TypeError, "values of type interval year to month cannot travel"),
        (
            "bufferSchema",
            StructType([StructField("a", LongType()), StructField("a", LongType())]),
            ValueError,
            "must name each field once, but has several named a",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_types(attribute, value, error, words):
    with pytest.raises(error, match=words):
        slidewise.udaf(type("Other", (Mean,), {attribute: value})())


def test_batch_forms():
    part = type("Part", (Mean,), {"reduce_batch": MeanInBatches.reduce_batch})
    with pytest.raises(ValueError, match="with reduce_batch must have merge_batch and finish_batch, too"):
        slidewise.udaf(part())
    lists = StructType([StructField("all", ArrayType(LongType())), StructField("name", StringType())])
    with pytest.raises(TypeError, match="must be of numbers, but has all array<bigint>, name string"):
        slidewise.udaf(type("Lists", (MeanInBatches,), {"bufferSchema": lists})())


def failing(method: str, base: type = Mean) -> slidewise.Aggregator:
    def fail(self, *arguments):
        raise ArithmeticError("the user's own words")

    return type("Failing", (base,), {method: fail})()


@pytest.mark.parametrize("method", ["zero", "reduce", "merge", "finish"])
def test_errors_of_a_method_are_told(spark, method):
    frame = spark.range(100).selectExpr("id", "id % 3 AS k", "cast(id AS double) AS x")
    with pytest.raises(SPARK_ERRORS, match="the user's own words"):
        frame.select(over_last(slidewise.udaf(failing(method))("x"))).collect()
    with pytest.raises(SPARK_ERRORS, match="the user's own words"):
        frame.groupBy("k").agg(slidewise.udaf(failing(method))("x")).collect()


def test_the_row_and_the_traceback_are_told(spark):
    class At42(Mean):
        def reduce(self, buffer, value):
            return (buffer[0] + 1 / (42 - value[0]), 1)

    frame = spark.range(0, 100, 1, 1).selectExpr("id", "id div 1000 AS k", "cast(id AS double) AS x")
    with pytest.raises(SPARK_ERRORS) as caught:
        frame.select(over_last(slidewise.udaf(At42())("x"))).collect()
    text = str(caught.value)
    assert "At42 failed at row 42 of its task, in the partition of k = 0:" in text
    assert "in reduce" in text
    assert "ZeroDivisionError: float division by zero" in text


def test_the_partition_is_told(spark):
    class At42(Mean):
        def reduce(self, buffer, value):
            return (buffer[0] + 1 / (42 - value[0]), 1)

    keys = ["IF(id % 3 = 0, NULL, concat('k', id % 3)) AS k", "date_add(DATE'2026-01-01', int(id % 2)) AS day"]
    frame = spark.range(0, 1000, 1, 1).selectExpr("id", *keys, "cast(id AS double) AS x")
    over = Window.partitionBy("k", "day").orderBy("id").rowsBetween(-9, 0)
    with pytest.raises(SPARK_ERRORS, match="in the partition of k = NULL, day = 2026-01-01:\n"):
        frame.select(slidewise.udaf(At42())("x").over(over)).collect()
    everywhere = Window.orderBy("id").rowsBetween(-9, 0)
    with pytest.raises(SPARK_ERRORS, match="failed at row 42 of its task:"):
        frame.select(slidewise.udaf(At42())("x").over(everywhere)).collect()


@pytest.mark.parametrize("method", ["reduce_batch", "merge_batch", "finish_batch"])
def test_the_partition_of_a_batch_is_told(spark, method):
    frame = spark.range(0, 100, 1, 1).selectExpr("id", "id div 1000 AS k", "cast(id AS double) AS x")
    with pytest.raises(SPARK_ERRORS) as caught:
        frame.select(over_last(slidewise.udaf(failing(method, MeanInBatches))("x"))).collect()
    assert "Failing failed at row 0 of its task or later, in the partition of k = 0:" in str(caught.value)
    assert "ArithmeticError: the user's own words" in str(caught.value)


_LIST = StructType([StructField("v", ArrayType(DoubleType()))])
_COUNTS = StructType([StructField("v", MapType(StringType(), LongType()))])


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        (_LIST, np.zeros(2), "the field v of a buffer is a numpy.ndarray, but must be a list or None"),
        (_COUNTS, Counter("ab"), "the field v of a buffer is a collections.Counter, but must be a dictionary or None"),
    ],
)
def test_a_buffer_of_another_kind_is_told(spark, schema, value, words):
    """With it, `merge` would do something else than in a GROUP BY."""

    class Kept(Mean):
        bufferSchema = schema  # noqa: N815
        outputType = LongType()  # noqa: N815
        zero = reduce = merge = lambda self, *arguments: (value,)

        def finish(self, buffer):
            return len(buffer[0])

    frame = spark.range(9).selectExpr("id", "id % 3 AS k", "cast(id AS double) AS x")
    with pytest.raises(SPARK_ERRORS, match=words):
        frame.select(over_last(slidewise.udaf(Kept())("x"))).collect()


@pytest.mark.parametrize("null", ["false", "id = 7"])
def test_arrays_have_the_types_of_the_buffer(spark, null):
    class Counted(MeanInBatches):
        """Counts rows, in arrays of another type than the buffer's."""

        bufferSchema = StructType([StructField("n", LongType())])  # noqa: N815
        outputType = LongType()  # noqa: N815

        def __init__(self, kind):
            self.kind = kind

        def zero(self):
            return (0,)

        def reduce_batch(self, buffers, values):
            return ((values[0] > -1).astype(self.kind),)

        def merge_batch(self, older, newer):
            return (older[0] + newer[0],)

        def finish_batch(self, buffers):
            return buffers[0]

    frame = spark.range(0, 300, 1, 1).selectExpr("id", "0 AS k", f"IF({null}, NULL, cast(id AS double)) AS x")
    for kind in (np.bool_, np.int8):
        found = frame.select(slidewise.udaf(Counted(kind))("x").over(Window.orderBy("id").rowsBetween(-199, 0)))
        assert [row[0] for row in found.collect()][-1] == 200
    with pytest.raises(SPARK_ERRORS, match="must return int64 for the field n, but returned float64"):
        frame.select(over_last(slidewise.udaf(Counted(np.float64))("x"))).collect()


@needs_streams
def test_streams_are_refused(spark):
    slidewise.register(spark, "mean_of_stream", Mean())
    stream = spark.readStream.format("rate").load().withWatermark("timestamp", "1 minute")
    over = "OVER (PARTITION BY value % 3 ORDER BY timestamp ROWS 9 PRECEDING)"
    with pytest.raises(AnalysisException, match="runs in Python"):
        stream.selectExpr(f"mean_of_stream(cast(value AS double)) {over}").writeStream.format("noop").start()


@pytest.mark.parametrize(
    ("method", "returned", "words"),
    [
        ("reduce_batch", (1,), "reduce_batch must return a tuple of 2 arrays"),
        ("merge_batch", ([1.0], [2]), "merge_batch must return arrays of"),
        ("finish_batch", [1.0], "finish_batch returned 1 results for"),
    ],
)
def test_arrays_of_another_length(spark, method, returned, words):
    other = type("Other", (MeanInBatches,), {method: lambda self, *arguments: returned})()
    frame = spark.range(100).selectExpr("id", "id % 3 AS k", "cast(id AS double) AS x")
    with pytest.raises(SPARK_ERRORS, match=words):
        frame.select(over_last(slidewise.udaf(other)("x"))).collect()


def test_results_of_another_type(spark):
    other = type("Other", (Mean,), {"outputType": LongType(), "finish": lambda self, buffer: "text"})()
    with pytest.raises(SPARK_ERRORS, match="text"):
        spark.range(9).selectExpr("id", "1 AS k").select(over_last(slidewise.udaf(other)("id"))).collect()


def test_the_class_of_spark_4_4_is_accepted(spark, monkeypatch):
    """A class with Spark's own base, which has no other member than its abstract ones."""
    module = types.ModuleType("pyspark.sql.aggregator")
    module.Aggregator = type("Aggregator", (ABC,), {})
    monkeypatch.setitem(sys.modules, "pyspark.sql.aggregator", module)
    members = {
        name: getattr(Mean, name) for name in ("bufferSchema", "outputType", "zero", "reduce", "merge", "finish")
    }
    sparks = type("Sparks", (module.Aggregator,), {**members, "bufferSchema": property(lambda self: Mean.bufferSchema)})
    module.Aggregator.__module__ = "__main__"
    frame = spark.range(30).selectExpr("id", "1 AS k", "cast(id AS double) AS x")
    found = frame.select(over_last(slidewise.udaf(sparks())("x")).alias("found")).agg({"found": "max"}).collect()
    assert found == [(24.5,)]
    assert isinstance(DoubleType(), type(Mean.outputType))
