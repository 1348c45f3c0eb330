"""Aggregates over the frames of a window, in the Python worker."""

from __future__ import annotations

import traceback
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from slidewise._aggregates.arrays import Array, Buffers, merged_frames
from slidewise._aggregates.calls import AggregatorError, Calls
from slidewise._aggregates.conversion import arrow_type, time_zone, to_arrow, to_python
from slidewise._aggregates.rows import Frame, FrameOfRows, GrowingFrame, Row

if TYPE_CHECKING:
    from slidewise._aggregates.aggregator import Aggregator


class _Evaluation(Protocol):
    def arrive(self, lo: pa.Array, hi: pa.Array, values: list[pa.Array], passes: pa.Array | None) -> None:
        """Takes the next rows, with their frames."""

    def results(self, ended: bool) -> pa.Array | None:
        """The results of the next rows whose frames have arrived; none if they had better wait for more."""


def over(
    aggregators: Sequence[Aggregator], spec: dict[str, Any], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The results of each row, in the order of the rows; they may come later than the row.

    The batches have, for each frame of the window, the numbers of its first row and of the row after its last; then the
    functions' arguments and filters. Rows are numbered through all batches, and the ends of frames do not move back.
    """
    zone = time_zone(spec["timeZone"])
    functions = spec["functions"]
    evaluations = [
        _evaluation(aggregator, function["grows"], zone) for aggregator, function in zip(aggregators, functions)
    ]
    waiting: list[list[pa.Array]] = [[] for _ in functions]
    for batch in batches:
        for evaluation, function in zip(evaluations, functions):
            frame, where = 2 * function["frame"], function["filter"]
            evaluation.arrive(
                batch.column(frame),
                batch.column(frame + 1),
                [batch.column(i) for i in function["arguments"]],
                None if where is None else batch.column(where),
            )
        yield from _ready(evaluations, waiting, ended=False)
    yield from _ready(evaluations, waiting, ended=True)


def _ready(evaluations: list[_Evaluation], waiting: list[list[pa.Array]], ended: bool) -> Iterator[pa.RecordBatch]:
    for evaluation, found in zip(evaluations, waiting):
        more = evaluation.results(ended)
        if more is not None and len(more):
            found.append(more)
    count = min(sum(len(part) for part in found) for found in waiting)
    if count:
        columns = []
        for found in waiting:
            joined = found[0] if len(found) == 1 else pa.concat_arrays(found)
            columns.append(joined.slice(0, count))
            found[:] = [joined.slice(count)] if len(joined) > count else []
        yield pa.RecordBatch.from_arrays(columns, names=[f"_{i}" for i in range(len(columns))])


def _evaluation(aggregator: Aggregator, grows: bool, zone: tzinfo) -> _Evaluation:
    calls = Calls(aggregator)
    return _InArrays(calls, zone) if calls.has_batches else _ByRow(calls, grows, zone)


class _ByRow:
    def __init__(self, calls: Calls, grows: bool, zone: tzinfo) -> None:
        self._calls, self._zone = calls, zone
        self._name, self._type = type(calls.aggregator).__name__, calls.aggregator.outputType
        self._frame = (
            GrowingFrame(calls.zero, calls.reduce) if grows else FrameOfRows(calls.zero, calls.reduce, calls.merge)
        )
        self._frames: list[Frame] = []  # of the rows that wait
        self._ends: list[int] = []  # theirs
        self._arrived = self._answered = 0
        self._last: Frame | None = None
        self._result: Any = None

    def arrive(self, lo: pa.Array, hi: pa.Array, values: list[pa.Array], passes: pa.Array | None) -> None:
        self._frame.arrive(rows_of(values, passes, len(lo)))
        ends = hi.to_pylist()
        self._frames.extend(zip(lo.to_pylist(), ends))
        self._ends.extend(ends)
        self._arrived += len(lo)

    def results(self, ended: bool) -> pa.Array | None:
        known = bisect_right(self._ends, self._arrived)
        frames = self._frames[:known]
        finish, last, result = self._calls.finish, self._last, self._result
        found: list[Any] = []
        try:
            for buffer, frame in zip(self._frame.aggregates(frames), frames):
                if frame != last:
                    result = finish(buffer)
                    last = frame
                found.append(result)
        except Exception as error:
            row = self._answered + len(found)
            # PySpark leaves the cause of an exception out.
            raise AggregatorError(f"{self._name} failed at row {row} of its task:\n{traceback.format_exc()}") from error
        self._last, self._result = last, result
        del self._frames[:known], self._ends[:known]
        self._answered += known
        return to_arrow(found, self._type, self._zone)


class _InArrays:
    """Evaluates when the waiting frames are as many as the rows that their evaluation reads, or nearly so."""

    _FEWEST = 4096

    def __init__(self, calls: Calls, zone: tzinfo) -> None:
        self._calls, self._zone = calls, zone
        self._buffers: list[Buffers] = []  # of the rows from number _first on, one each
        self._first = self._arrived = 0
        self._lo = self._hi = np.empty(0, dtype=np.int64)  # of the rows that wait

    def arrive(self, lo: pa.Array, hi: pa.Array, values: list[pa.Array], passes: pa.Array | None) -> None:
        self._buffers.append(reduced(self._calls, values, passes, len(lo)))
        self._lo = np.concatenate([self._lo, lo.to_numpy()])
        self._hi = np.concatenate([self._hi, hi.to_numpy()])
        self._arrived += len(lo)

    def results(self, ended: bool) -> pa.Array | None:
        known = int(np.searchsorted(self._hi, self._arrived, side="right"))
        if known == 0:
            return None
        if not ended and known < max(self._FEWEST, (int(self._hi[known - 1]) - int(self._lo[0])) // 2):
            return None
        calls = self._calls
        joined = tuple(np.concatenate(arrays) for arrays in zip(*self._buffers))
        lo, hi = self._lo[:known] - self._first, self._hi[:known] - self._first
        changes = np.flatnonzero((np.diff(lo, prepend=-1) != 0) | (np.diff(hi, prepend=-1) != 0))
        with np.errstate(all="ignore"):
            found = calls.finish_batch(merged_frames(joined, calls.zeros, calls.merge_batch, lo[changes], hi[changes]))
        self._lo, self._hi = self._lo[known:], self._hi[known:]
        done = (int(self._lo[0]) if len(self._lo) else int(lo[-1]) + self._first) - self._first
        self._buffers = [tuple(array[done:] for array in joined)]
        self._first += done
        return results_in_arrow(np.repeat(found, np.diff(changes, append=known)), calls, self._zone)


def rows_of(values: list[pa.Array], passes: pa.Array | None, count: int) -> list[Row]:
    """The arguments of each row; None for rows that do not pass."""
    rows: list[Row] = list(zip(*map(to_python, values))) if values else [()] * count
    if passes is None:
        return rows
    return [row if passing else None for row, passing in zip(rows, passes.to_pylist())]


def reduced(calls: Calls, values: list[pa.Array], passes: pa.Array | None, count: int) -> Buffers:
    """A buffer for each row; that of no rows where an argument is null, or the row does not pass."""
    kept = np.ones(count, dtype=bool)
    for value in values:
        if value.null_count:
            kept &= value.is_valid().to_numpy(zero_copy_only=False)
    if passes is not None:
        kept &= passes.fill_null(False).to_numpy(zero_copy_only=False)
    zeros = calls.zeros(count)
    if kept.all():
        return calls.reduce_batch(zeros, tuple(map(_in_numpy, values)))
    places = np.flatnonzero(kept)
    if len(places):
        found = calls.reduce_batch(calls.zeros(len(places)), tuple(_in_numpy(v.take(pa.array(places))) for v in values))
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
    spark = calls.aggregator.outputType
    if found.dtype == object:
        return to_arrow(found.tolist(), spark, zone)
    if isinstance(found, np.ma.MaskedArray):
        return pa.array(found.data, mask=np.ma.getmaskarray(found)).cast(arrow_type(spark))
    return pa.array(found).cast(arrow_type(spark))
