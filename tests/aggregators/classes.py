# ruff: noqa: N815
"""Aggregators in Python, and the SQL that means the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
from pyspark import cloudpickle
from pyspark.sql import Column
from pyspark.sql import functions as sf
from pyspark.sql.types import (
    ArrayType,
    DecimalType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

import slidewise

# Python workers do not find this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Mean(slidewise.Aggregator):
    bufferSchema = StructType([StructField("sum", DoubleType()), StructField("count", LongType())])
    outputType = DoubleType()

    def zero(self):
        return (0.0, 0)

    def reduce(self, buffer, value):
        return buffer if value[0] is None else (buffer[0] + value[0], buffer[1] + 1)

    def merge(self, older, newer):
        return (older[0] + newer[0], older[1] + newer[1])

    def finish(self, buffer):
        return buffer[0] / buffer[1] if buffer[1] else None


class MeanInBatches(Mean):
    def reduce_batch(self, buffers, values):
        return (buffers[0] + values[0], buffers[1] + 1)

    def merge_batch(self, older, newer):
        return (older[0] + newer[0], older[1] + newer[1])

    def finish_batch(self, buffers):
        return np.ma.masked_where(buffers[1] == 0, buffers[0] / buffers[1])


class Words(slidewise.Aggregator):
    """The words in order: merging is not commutative."""

    bufferSchema = StructType([StructField("words", StringType())])
    outputType = StringType()

    def zero(self):
        return ("",)

    def reduce(self, buffer, value):
        return (buffer[0] + (value[0] or ""),)

    def merge(self, older, newer):
        return (older[0] + newer[0],)

    def finish(self, buffer):
        return buffer[0]


class InPlace(slidewise.Aggregator):
    """The values in order, in a list that is changed."""

    bufferSchema = StructType([StructField("all", ArrayType(LongType()))])
    outputType = ArrayType(LongType())

    def zero(self):
        return ([],)

    def reduce(self, buffer, value):
        if value[0] is not None:
            buffer[0].append(value[0])
        return buffer

    def merge(self, older, newer):
        older[0].extend(newer[0])
        return older

    def finish(self, buffer):
        return buffer[0]


class Newest(slidewise.Aggregator):
    """The last row's time, number and amount; neither invertible nor commutative."""

    bufferSchema = StructType(
        [
            StructField("at", TimestampType()),
            StructField("amount", DecimalType(20, 4)),
            StructField("some", LongType()),
        ]
    )
    outputType = StringType()

    def zero(self):
        return (None, Decimal(0), 0)

    def reduce(self, buffer, value):
        return (value[0], value[1], 1)

    def merge(self, older, newer):
        return newer if newer[2] else older

    def finish(self, buffer):
        return f"{buffer[0]:%H:%M:%S.%f} {buffer[1]:.4f}" if buffer[2] else None


class Earliest(slidewise.Aggregator):
    """The least time, and as local time."""

    bufferSchema = StructType([StructField("at", TimestampType())])
    outputType = StructType([StructField("at", TimestampType()), StructField("hour", LongType())])

    def zero(self):
        return (None,)

    def reduce(self, buffer, value):
        return value if buffer[0] is None or value[0] < buffer[0] else buffer

    def merge(self, older, newer):
        if older[0] is None or newer[0] is None:
            return newer if older[0] is None else older
        return min(older, newer)

    def finish(self, buffer):
        return None if buffer[0] is None else (buffer[0], buffer[0].hour)


class Longest(slidewise.Aggregator):
    """The greatest of two numbers' product, in whole numbers."""

    bufferSchema = StructType([StructField("product", LongType())])
    outputType = LongType()

    def zero(self):
        return (-(1 << 62),)

    def reduce(self, buffer, value):
        return buffer if None in value else (max(buffer[0], value[0] * value[1]),)

    def merge(self, older, newer):
        return (max(older[0], newer[0]),)

    def finish(self, buffer):
        return buffer[0] if buffer[0] > -(1 << 62) else None

    def reduce_batch(self, buffers, values):
        return (np.maximum(buffers[0], values[0] * values[1]),)

    def merge_batch(self, older, newer):
        return (np.maximum(older[0], newer[0]),)

    def finish_batch(self, buffers):
        return np.ma.masked_where(buffers[0] == -(1 << 62), buffers[0])


class Call:
    """A call of an aggregator, and the SQL aggregate that it equals in any frame; `after` is applied to its result."""

    def __init__(
        self, aggregator: slidewise.Aggregator, arguments: list[str], sql: str, after: str = "", near: bool = False
    ) -> None:
        self.aggregator, self.arguments, self.sql, self.after, self.near = aggregator, arguments, sql, after, near

    @property
    def column(self) -> Callable[..., Any]:
        return slidewise.udaf(self.aggregator)

    @property
    def expected(self) -> Column:
        return sf.expr(self.sql)


LAST = "last(concat_ws(' ', date_format(at, 'HH:mm:ss.SSSSSS'), cast(cast(amount AS decimal(20, 4)) AS string)))"
CALLS = {
    "mean": Call(Mean(), ["x"], "avg(x)", near=True),
    "mean-in-batches": Call(MeanInBatches(), ["x"], "avg(x)", near=True),
    "words": Call(Words(), ["word"], "collect_list(word)", after="array_join(found, '')"),
    "in-place": Call(InPlace(), ["n"], "collect_list(n)"),
    "newest": Call(Newest(), ["at", "amount"], LAST),
    "longest": Call(Longest(), ["n", "id"], "max(n * id)"),
}
