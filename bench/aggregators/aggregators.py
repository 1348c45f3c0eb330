"""A mean, as users write it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from pyspark import cloudpickle
from pyspark.sql.types import DoubleType, LongType, StructField, StructType

import slidewise

# Python workers do not find this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Mean(slidewise.Aggregator):
    bufferSchema = StructType([StructField("sum", DoubleType()), StructField("count", LongType())])  # noqa: N815
    outputType = DoubleType()  # noqa: N815

    def zero(self) -> tuple[Any, ...]:
        return (0.0, 0)

    def reduce(self, buffer: tuple[Any, ...], value: tuple[Any, ...]) -> tuple[Any, ...]:
        return buffer if value[0] is None else (buffer[0] + value[0], buffer[1] + 1)

    def merge(self, buffer1: tuple[Any, ...], buffer2: tuple[Any, ...]) -> tuple[Any, ...]:
        return (buffer1[0] + buffer2[0], buffer1[1] + buffer2[1])

    def finish(self, buffer: tuple[Any, ...]) -> float | None:
        return buffer[0] / buffer[1] if buffer[1] else None


class MeanInBatches(Mean):
    def reduce_batch(self, buffers: Any, values: Any) -> Any:
        return (buffers[0] + values[0], buffers[1] + 1)

    def merge_batch(self, older: Any, newer: Any) -> Any:
        return (older[0] + newer[0], older[1] + newer[1])

    def finish_batch(self, buffers: Any) -> Any:
        return np.ma.masked_where(buffers[1] == 0, buffers[0] / buffers[1])
