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
from slidewise._aggregates.batches import Inputs, batch_of, results_in_arrow
from slidewise._aggregates.calls import AggregatorError, Calls, has_batches
from slidewise._aggregates.conversion import time_zone, to_arrow
from slidewise._aggregates.rows import Frame, FrameOfRows, GrowingFrame

if TYPE_CHECKING:
    from slidewise._aggregates.aggregator import Aggregator


class _Evaluation(Protocol):
    def arrive(self, lo: pa.Array, hi: pa.Array, inputs: Inputs) -> None:
        """Takes the next frames, and the next rows that frames consist of."""

    def results(self, ended: bool) -> pa.Array | None:
        """The results of the next rows whose frames have arrived; none if they had better wait for more."""


def over(
    aggregators: Sequence[Aggregator], spec: dict[str, Any], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The results of each row, in the order of the rows; they may come later than the row.

    The batches have, for each frame of the window, the numbers of its first row and of the row after its last; then the
    functions' arguments and filters. Rows are numbered through all batches, and the ends of frames do not move back.
    """
    return _evaluated(aggregators, spec, ((batch, batch) for batch in batches))


def join(
    aggregators: Sequence[Aggregator], spec: dict[str, Any], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The results of each frame, in the order of the frames, over the rows of another table.

    The batches have the columns of [over], but a row either has frames, or is one that frames consist of. Only the
    latter rows are numbered.
    """

    def parts() -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
        for batch in batches:
            ends = batch.column(0)
            yield batch.filter(ends.is_valid()), batch.filter(ends.is_null())

    return _evaluated(aggregators, spec, parts())


def _evaluated(
    aggregators: Sequence[Aggregator],
    spec: dict[str, Any],
    batches: Iterator[tuple[pa.RecordBatch, pa.RecordBatch]],
) -> Iterator[pa.RecordBatch]:
    """The results of frames in batches, each with a batch of rows that frames consist of."""
    zone = time_zone(spec["timeZone"])
    functions = spec["functions"]
    evaluations = [
        _evaluation(aggregator, function["grows"], zone) for aggregator, function in zip(aggregators, functions)
    ]
    waiting: list[list[pa.Array]] = [[] for _ in functions]
    for frames, rows in batches:
        for evaluation, function in zip(evaluations, functions):
            frame = 2 * function["frame"]
            evaluation.arrive(frames.column(frame), frames.column(frame + 1), Inputs(rows, function))
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
        yield batch_of(columns)


def _evaluation(aggregator: Aggregator, grows: bool, zone: tzinfo) -> _Evaluation:
    calls = Calls(aggregator)
    return _InArrays(calls, grows, zone) if has_batches(aggregator) else _ByRow(calls, grows, zone)


def _failure(calls: Calls, place: str) -> AggregatorError:
    """The exception that is being handled, with its traceback, as PySpark leaves the cause of an exception out.

    The operator looks for the words "failed at row … of its task", and names the row's partition.
    """
    name = type(calls.aggregator).__name__
    return AggregatorError(f"{name} failed at {place}:\n{traceback.format_exc()}")


class _ByRow:
    def __init__(self, calls: Calls, grows: bool, zone: tzinfo) -> None:
        self._calls, self._zone = calls, zone
        self._type = calls.aggregator.outputType
        self._frame = (
            GrowingFrame(calls.zero, calls.reduce) if grows else FrameOfRows(calls.zero, calls.reduce, calls.merge)
        )
        self._frames: list[Frame] = []  # of the rows that wait
        self._ends: list[int] = []  # theirs
        self._arrived = self._answered = 0
        self._last: Frame | None = None
        self._result: Any = None

    def arrive(self, lo: pa.Array, hi: pa.Array, inputs: Inputs) -> None:
        self._frame.arrive(inputs.rows(), inputs.are_mutable)
        ends = hi.to_pylist()
        self._frames.extend(zip(lo.to_pylist(), ends))
        self._ends.extend(ends)
        self._arrived += inputs.count

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
            raise _failure(self._calls, f"row {self._answered + len(found)} of its task") from error
        self._last, self._result = last, result
        del self._frames[:known], self._ends[:known]
        self._answered += known
        return to_arrow(found, self._type, self._zone)


class _InArrays:
    """Evaluates when the waiting frames are at least half as many as the rows that their evaluation reads, or half of
    these rows are before the next frame, but not few.

    Of frames that only grow, the rows that have been evaluated become one buffer, which stands at the last one's place.
    """

    # A scan has fixed costs for each power of two of its rows, which this many share.
    _FEWEST = 32_768

    def __init__(self, calls: Calls, grows: bool, zone: tzinfo) -> None:
        self._calls, self._grows, self._zone = calls, grows, zone
        self._buffers: list[Buffers] = []  # of the rows from number _first on, one each
        self._first = self._arrived = 0
        self._answered = self._asked = 0  # frames
        self._waiting: list[tuple[Array, Array]] = []  # the frames that wait, by batch

    def arrive(self, lo: pa.Array, hi: pa.Array, inputs: Inputs) -> None:
        try:
            self._buffers.append(inputs.reduced(self._calls))
        except Exception as error:
            raise _failure(self._calls, f"row {self._asked} of its task or later") from error
        self._waiting.append((lo.to_numpy(), hi.to_numpy()))
        self._arrived += inputs.count
        self._asked += len(lo)

    def results(self, ended: bool) -> pa.Array | None:
        known = sum(int(np.searchsorted(hi, self._arrived, side="right")) for _, hi in self._waiting)
        enough = max(self._FEWEST, (self._arrived - self._first) // 2)
        if known == 0 or (not ended and known < enough and self._next_begin(known) - self._first < enough):
            return None
        los, his = (np.concatenate(ends) for ends in zip(*self._waiting))
        calls = self._calls
        joined = tuple(np.concatenate(arrays) for arrays in zip(*self._buffers))
        lo, hi = np.maximum(los[:known] - self._first, 0), his[:known] - self._first
        changes = np.flatnonzero((np.diff(lo, prepend=-1) != 0) | (np.diff(hi, prepend=-1) != 0))
        try:
            with np.errstate(all="ignore"):
                merged = merged_frames(joined, calls.zeros, calls.merge_batch, lo[changes], hi[changes])
                last = tuple(field[-1:].copy() for field in merged)
                found = calls.finish_batch(merged)
        except Exception as error:
            raise _failure(calls, f"row {self._answered} of its task or later") from error
        self._answered += known
        self._waiting = [(los[known:], his[known:])]
        # A frame may begin after the rows that have arrived.
        done = min(max(int(los[known]) - self._first, 0), len(joined[0])) if known < len(los) else int(lo[-1])
        self._buffers = [tuple(array[done:] for array in joined)]
        if self._grows and done == lo[-1] < hi[-1]:
            evaluated = int(hi[-1]) - done
            self._buffers = [last, tuple(array[evaluated:] for array in self._buffers[0])]
            done += evaluated - 1
        self._first += done
        return results_in_arrow(np.repeat(found, np.diff(changes, append=known)), calls, self._zone)

    def _next_begin(self, known: int) -> int:
        """Where the first frame that is not known yet begins; the last one if all are."""
        for lo, _ in self._waiting:
            if known < len(lo):
                return int(lo[known])
            known -= len(lo)
        return int(self._waiting[-1][0][-1]) if len(self._waiting[-1][0]) else self._first
