"""The calls of a user's aggregator: guarded, and named where they fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import types as t

from slidewise._aggregates.conversion import buffer_copier

if TYPE_CHECKING:
    from slidewise._aggregates.aggregator import Aggregator
    from slidewise._aggregates.arrays import Array, Buffers
    from slidewise._aggregates.rows import Buffer

BATCH_METHODS = ("reduce_batch", "merge_batch", "finish_batch")
"""The methods of an aggregator's batch form: all of them, or none."""

DTYPES: dict[type, Any] = {
    t.BooleanType: np.bool_,
    t.ByteType: np.int8,
    t.ShortType: np.int16,
    t.IntegerType: np.int32,
    t.LongType: np.int64,
    t.FloatType: np.float32,
    t.DoubleType: np.float64,
}
"""The types that a buffer's fields may have in the batch form, and those of their arrays."""


def has_batches(aggregator: Aggregator) -> bool:
    """Whether the aggregator has a batch form."""
    return all(hasattr(aggregator, method) for method in BATCH_METHODS)


class AggregatorError(RuntimeError):
    """A user's aggregator raised an error, or returned something else than it should."""


class Calls:
    """The methods of an aggregator. No buffer that is kept reaches code that could change it."""

    def __init__(self, aggregator: Aggregator) -> None:
        self.aggregator = aggregator
        self._batches: Any = aggregator  # with its batch form
        self.zero, self.reduce = aggregator.zero, aggregator.reduce
        self.merge: Callable[[Buffer, Buffer], Buffer] = aggregator.merge
        self.finish: Callable[[Buffer], Any] = aggregator.finish
        copy = buffer_copier(aggregator.bufferSchema)
        if copy is not None:
            self.merge = lambda older, newer: aggregator.merge(copy(older), copy(newer))
            self.finish = lambda buffer: aggregator.finish(copy(buffer))

    def zeros(self, count: int) -> Buffers:
        """So many buffers of no rows, in arrays."""
        fields = self.aggregator.bufferSchema.fields
        return tuple(
            np.full(count, value, dtype=DTYPES[type(field.dataType)]) for field, value in zip(fields, self.zero())
        )

    def reduce_batch(self, buffers: Buffers, values: tuple[Array, ...]) -> Buffers:
        """The i-th buffer with the i-th row."""
        return self._checked("reduce_batch", self._batches.reduce_batch(buffers, values), len(buffers[0]))

    def merge_batch(self, older: Buffers, newer: Buffers) -> Buffers:
        """The i-th buffers of both, merged."""
        found = self._batches.merge_batch(_unchangeable(older), _unchangeable(newer))
        return self._checked("merge_batch", found, len(older[0]))

    def finish_batch(self, buffers: Buffers) -> Array:
        """The results of the buffers."""
        found = self._batches.finish_batch(buffers)
        if len(found) != len(buffers[0]):
            raise AggregatorError(
                f"{self._name}.finish_batch returned {len(found)} results for {len(buffers[0])} buffers"
            )
        return found if isinstance(found, np.ndarray) else np.asarray(found)

    def _checked(self, method: str, found: Any, count: int) -> Buffers:
        fields = len(self.aggregator.bufferSchema.fields)
        if not isinstance(found, tuple) or len(found) != fields:
            raise AggregatorError(
                f"{self._name}.{method} must return a tuple of {fields} arrays, but returned {found!r:.100}"
            )
        lengths = [len(array) for array in found]
        if any(length != count for length in lengths):
            raise AggregatorError(
                f"{self._name}.{method} must return arrays of {count} elements, but theirs are {lengths}"
            )
        schema = self.aggregator.bufferSchema
        return tuple(self._typed(method, np.asanyarray(array), field) for array, field in zip(found, schema.fields))

    def _typed(self, method: str, array: Array, field: t.StructField) -> Array:
        """The array in the type of the field: later rows must not depend on what one call returned."""
        to = np.dtype(DTYPES[type(field.dataType)])
        if array.dtype == to:
            return array
        if array.dtype != object and not np.can_cast(array.dtype, to, casting="same_kind"):
            raise AggregatorError(
                f"{self._name}.{method} must return {to} for the field {field.name}, but returned {array.dtype}"
            )
        typed = array.astype(to)
        if array.dtype.kind in "iu" and to.kind in "iu" and not np.array_equal(typed, array):
            wrong = array[typed != array][0]
            raise AggregatorError(
                f"{self._name}.{method} returned {wrong} for the field {field.name}, but {to} has values from "
                f"{np.iinfo(to).min} to {np.iinfo(to).max}"
            )
        return typed

    @property
    def _name(self) -> str:
        return type(self.aggregator).__name__

    def fold(self, buffer: Buffer, rows: Any) -> Buffer:
        """The buffer with these rows more."""
        reduce = self.reduce
        for row in rows:
            if row is not None:
                buffer = reduce(buffer, row)
        return buffer


def _unchangeable(buffers: Buffers) -> Buffers:
    """The arrays, which are parts of others that are still needed, such that writing to them is an error."""
    views = tuple(buffer.view() for buffer in buffers)
    for view in views:
        view.flags.writeable = False
    return views
