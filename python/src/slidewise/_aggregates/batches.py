"""The rows of Arrow batches, for one function, and batches of its results."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import types as t

from slidewise._aggregates.arrays import Array, Buffers
from slidewise._aggregates.conversion import arrow_type, to_arrow, to_python

if TYPE_CHECKING:
    from slidewise._aggregates.calls import Calls
    from slidewise._aggregates.rows import Row


class Inputs:
    """The arguments of a function for the rows of a batch, and which rows its filter lets pass.

    `function`: the places of their columns, as `arguments` and `filter`.
    """

    def __init__(self, batch: pa.RecordBatch, function: dict[str, Any]) -> None:
        self._values = [batch.column(i) for i in function["arguments"]]
        self._passes = None if function["filter"] is None else batch.column(function["filter"])
        self.count = len(batch)

    @property
    def are_mutable(self) -> bool:
        """Whether the values of rows may be lists or dictionaries."""
        return any(pa.types.is_nested(value.type) for value in self._values)

    def rows(self) -> list[Row]:
        """The arguments of each row; None for rows that do not pass."""
        rows: list[Row] = list(zip(*map(to_python, self._values))) if self._values else [()] * self.count
        if self._passes is None:
            return rows
        return [row if passing else None for row, passing in zip(rows, self._passes.to_pylist())]

    def reduced(self, calls: Calls) -> Buffers:
        """A buffer for each row; that of no rows where an argument is null, or the row does not pass."""
        zeros = calls.zeros(self.count)
        if self.count == 0:
            return zeros
        kept = np.ones(self.count, dtype=bool)
        for value in self._values:
            if value.null_count:
                kept &= value.is_valid().to_numpy(zero_copy_only=False)
        if self._passes is not None:
            kept &= self._passes.fill_null(False).to_numpy(zero_copy_only=False)
        if kept.all():
            return calls.reduce_batch(zeros, tuple(map(_in_numpy, self._values)))
        places = np.flatnonzero(kept)
        if len(places):
            values = tuple(_in_numpy(v.take(pa.array(places))) for v in self._values)
            found = calls.reduce_batch(calls.zeros(len(places)), values)
            for to, value in zip(zeros, found):
                to[places] = value
        return zeros


def _in_numpy(values: pa.Array) -> Array:
    if pa.types.is_primitive(values.type) and not pa.types.is_timestamp(values.type):
        numbers: Array = values.to_numpy(zero_copy_only=False)
        return numbers
    found: Array = np.empty(len(values), dtype=object)
    found[:] = to_python(values)
    return found


def results_in_arrow(found: Array, calls: Calls, zone: tzinfo) -> pa.Array:
    """The results of many buffers in the Arrow type of the aggregator's result."""
    spark = calls.aggregator.outputType
    if found.dtype.kind == "M":
        # As of objects, a time without a zone is one of the session's zone.
        found = found.astype("datetime64[D]" if isinstance(spark, t.DateType) else "datetime64[us]")
    if found.dtype.kind in "MO":
        return to_arrow(found.tolist(), spark, zone)
    if isinstance(found, np.ma.MaskedArray):
        return pa.array(found.data, mask=np.ma.getmaskarray(found)).cast(arrow_type(spark))
    return pa.array(found).cast(arrow_type(spark))


def batch_of(columns: list[pa.Array]) -> pa.RecordBatch:
    """A batch whose columns Spark finds by their places."""
    return pa.RecordBatch.from_arrays(columns, names=[f"_{i}" for i in range(len(columns))])
