"""Aggregates in GROUP BY, in the Python worker: partial ones of the rows of a task, and their merges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slidewise._aggregates.arrays import merged_frames
from slidewise._aggregates.batches import Inputs, batch_of
from slidewise._aggregates.calls import Calls, has_batches
from slidewise._aggregates.conversion import time_zone, to_arrow, to_python

if TYPE_CHECKING:
    from slidewise._aggregates.aggregator import Aggregator
    from slidewise._aggregates.rows import Buffer


def partial(
    aggregators: Sequence[Aggregator], spec: dict[str, Any], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The buffers of each group, one after the other: a row for the rows of a group in one batch.

    The first column has the number of the row's group, here and in the result; the groups come in order.
    """
    zone = time_zone(spec["timeZone"])
    calls = [Calls(aggregator) for aggregator in aggregators]
    for batch in batches:
        starts = _starts(batch.column(0))
        columns = [batch.column(0).take(pa.array(starts))]
        for call, function in zip(calls, spec["functions"]):
            folded = _folded(call, Inputs(batch, function), starts, len(batch))
            columns.append(to_arrow(folded, call.aggregator.bufferSchema, zone))
        yield batch_of(columns)


def _starts(groups: pa.Array) -> Any:
    numbers = groups.to_numpy()
    return np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1)) if len(numbers) else numbers


def _folded(calls: Calls, inputs: Inputs, starts: Any, count: int) -> list[Buffer]:
    ends = np.append(starts[1:], count)
    if has_batches(calls.aggregator):
        with np.errstate(all="ignore"):
            found = merged_frames(inputs.reduced(calls), calls.zeros, calls.merge_batch, starts, ends)
        return list(zip(*(array.tolist() for array in found)))
    rows = inputs.rows()
    return [calls.fold(calls.zero(), rows[a:b]) for a, b in zip(starts.tolist(), ends.tolist())]


def final(
    aggregators: Sequence[Aggregator], spec: dict[str, Any], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The result of each group. The columns are the number of the group, and a buffer for each function."""
    zone = time_zone(spec["timeZone"])
    calls = [Calls(aggregator) for aggregator in aggregators]
    group: int | None = 0 if spec["isOneGroup"] else None
    merged: list[Buffer] = [call.zero() for call in calls]

    def results(groups: list[int], found: list[list[Any]]) -> pa.RecordBatch:
        columns = [to_arrow(values, call.aggregator.outputType, zone) for call, values in zip(calls, found)]
        return batch_of([pa.array(groups, type=pa.int64()), *columns])

    for batch in batches:
        ended: list[int] = []
        found: list[list[Any]] = [[] for _ in calls]
        buffers = [to_python(column) for column in batch.columns[1:]]
        for row, number in enumerate(batch.column(0).to_pylist()):
            if number != group:
                if group is not None:
                    ended.append(group)
                    for values, call, buffer in zip(found, calls, merged):
                        values.append(call.finish(buffer))
                group = number
                merged = [call.zero() for call in calls]
            merged = [call.merge(old, tuple(new[row])) for call, old, new in zip(calls, merged, buffers)]
        if ended:
            yield results(ended, found)
    if group is not None:
        yield results([group], [[call.finish(buffer)] for call, buffer in zip(calls, merged)])
