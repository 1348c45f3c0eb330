"""The algorithms of the Python worker against naive ones, with counted calls."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import types as t

import slidewise
from aggregators.classes import MeanInBatches
from slidewise._aggregates import arrays, over
from slidewise._aggregates.batches import Inputs, results_in_arrow
from slidewise._aggregates.calls import AggregatorError, Calls
from slidewise._aggregates.conversion import to_arrow
from slidewise._aggregates.rows import FrameOfRows, GrowingFrame


def frames_over(rows: int, random: random.Random) -> list[tuple[int, int]]:
    """Frames whose ends do not move back, some of them empty or far from the one before."""
    found, lo, hi = [], 0, 0
    for _ in range(random.randint(1, 2 * rows)):
        hi = min(rows, hi + random.choice([0, 1, 1, 2, 5, 40]))
        lo = min(hi, lo + random.choice([0, 0, 1, 1, 2, 5, 30]))
        found.append((lo, hi))
    return found


def arriving(frame, rows, frames, random):
    """The aggregates of all frames, while the rows arrive some at a time."""
    arrived, found = 0, []
    while len(found) < len(frames):
        more = rows[arrived : arrived + random.randint(1, 60)]
        frame.arrive(more)
        arrived += len(more)
        known = [f for f in frames[len(found) :] if f[1] <= arrived]
        found += list(frame.aggregates(known))
    return found


@pytest.mark.parametrize("seed", range(300))
def test_two_stacks_merge_in_order(seed):
    chance = random.Random(seed)
    rows = [None if chance.random() < 0.1 else (chr(97 + i % 26),) for i in range(chance.randint(1, 150))]
    frames = frames_over(len(rows), chance)
    frame = FrameOfRows(lambda: ("",), lambda b, v: (b[0] + v[0],), lambda a, b: (a[0] + b[0],))
    expected = [("".join(row[0] for row in rows[a:b] if row),) for a, b in frames]
    assert arriving(frame, rows, frames, chance) == expected


@pytest.mark.parametrize("seed", range(100))
def test_growing_frames_are_folded(seed):
    chance = random.Random(seed)
    rows = [(chr(97 + i % 26),) for i in range(chance.randint(1, 150))]
    starts = sorted({0, *(chance.randrange(len(rows)) for _ in range(3))})
    frames = [
        (start, hi)
        for start, end in zip(starts, [*starts[1:], len(rows)], strict=True)
        for hi in sorted(chance.randint(start, end) for _ in range(20))
    ]
    frame = GrowingFrame(lambda: ("",), lambda b, v: (b[0] + v[0],))
    assert arriving(frame, rows, frames, chance) == [("".join(row[0] for row in rows[a:b]),) for a, b in frames]


@pytest.mark.parametrize("width", [1, 2, 10, 1000, 20_000])
def test_two_stacks_make_at_most_four_calls_a_row(width):
    calls = 0

    def reduce(buffer, value):
        nonlocal calls
        calls += 1
        return (buffer[0] + value[0],)

    def merge(older, newer):
        nonlocal calls
        calls += 1
        return (older[0] + newer[0],)

    rows = 20_000
    frame = FrameOfRows(lambda: (0,), reduce, merge)
    frame.arrive([(1,)] * rows)
    frames = [(max(0, i + 1 - width), i + 1) for i in range(rows)]
    assert [b[0] for b in frame.aggregates(frames)] == [b - a for a, b in frames]
    assert rows <= calls <= 4 * rows


@pytest.mark.parametrize("seed", range(300))
def test_arrays_merge_in_order(seed, monkeypatch):
    chance = random.Random(seed)
    rows = chance.randint(1, 150)
    monkeypatch.setattr(arrays, "_SHORT", chance.choice([0, 8, 32]))
    lo, hi = (np.array(ends) for ends in zip(*frames_over(rows, chance), strict=True))
    words = np.array([chr(97 + i % 26) for i in range(rows)], dtype=object)
    found = arrays.merged_frames(
        (words,), lambda n: (np.full(n, "", dtype=object),), lambda a, b: (a[0] + b[0],), lo, hi
    )
    assert list(found[0]) == ["".join(words[a:b]) for a, b in zip(lo, hi, strict=True)]


@pytest.mark.parametrize("width", [33, 100, 1000, 20_000, 100_000])
def test_arrays_merge_six_times_a_row_at_most(width):
    merged = 0

    def merge(older, newer):
        nonlocal merged
        merged += len(older[0])
        return (older[0] + newer[0],)

    rows = 100_000
    hi = np.arange(1, rows + 1)
    lo = np.maximum(hi - width, 0)
    found = arrays.merged_frames(
        (np.ones(rows, dtype=np.int64),), lambda n: (np.zeros(n, dtype=np.int64),), merge, lo, hi
    )
    assert (found[0] == hi - lo).all()
    assert rows <= merged <= 6 * rows


@pytest.mark.parametrize("seed", range(100))
def test_growing_frames_in_batches_keep_one_buffer(seed, monkeypatch):
    monkeypatch.setattr(over._InArrays, "_FEWEST", 8)
    chance = random.Random(seed)
    # The rows before and after the row that a frame ends with, in partitions of many rows and few.
    shift = chance.choice([-20, -1, 0, 3])
    lo, hi, start = [], [], 0
    for size in chance.choices([1, 2, 30, 900], k=8):
        lo += [start] * size
        hi += [min(start + size, max(start, start + i + 1 + shift)) for i in range(size)]
        start += size
    values = [None if chance.random() < 0.2 else float(chance.randint(-9, 9)) for _ in lo]
    evaluation = over._evaluation(MeanInBatches(), True, timezone.utc)
    found, held, arrived = [], 0, 0
    while arrived < len(lo):
        more = slice(arrived, arrived + chance.randint(1, 40))
        batch = pa.record_batch([pa.array(values[more], pa.float64())], ["x"])
        inputs = Inputs(batch, {"arguments": [0], "filter": None})
        evaluation.arrive(pa.array(lo[more]), pa.array(hi[more]), inputs)
        arrived += len(batch)
        results = evaluation.results(ended=arrived == len(lo))
        found += [] if results is None else results.to_pylist()
        held = max(held, sum(len(fields[0]) for fields in evaluation._buffers))
    assert held <= 100
    kept = [[value for value in values[a:b] if value is not None] for a, b in zip(lo, hi, strict=True)]
    assert found == [sum(of_frame) / len(of_frame) if of_frame else None for of_frame in kept]


@pytest.mark.parametrize("seed", range(100))
def test_moving_frames_in_batches_wherever_they_begin(seed, monkeypatch):
    """Also frames that begin after the rows that have arrived, and far fewer frames than rows."""
    monkeypatch.setattr(over._InArrays, "_FEWEST", 8)
    chance = random.Random(seed)
    rows = 3000
    ahead, width = chance.choice([-30, -3, 0, 5, 40]), chance.choice([1, 3, 20])
    ends = sorted(chance.sample(range(rows), chance.choice([60, rows // 2, rows])))
    lo = [max(0, min(rows, at + ahead)) for at in ends]
    hi = [max(0, min(rows, at + ahead + width)) for at in ends]
    values = [float(chance.randint(-9, 9)) for _ in range(rows)]
    evaluation = over._evaluation(MeanInBatches(), False, timezone.utc)
    found, held, arrived, asked = [], 0, 0, 0
    while arrived < rows:
        more = values[arrived : arrived + chance.randint(1, 60)]
        arrived += len(more)
        frames = asked + sum(1 for at in ends[asked:] if at < arrived)
        inputs = Inputs(pa.record_batch([pa.array(more, pa.float64())], ["x"]), {"arguments": [0], "filter": None})
        evaluation.arrive(pa.array(lo[asked:frames], pa.int64()), pa.array(hi[asked:frames], pa.int64()), inputs)
        asked = frames
        results = evaluation.results(ended=arrived == rows)
        found += [] if results is None else results.to_pylist()
        held = max(held, sum(len(fields[0]) for fields in evaluation._buffers))
    expected = [sum(values[a:b]) / (b - a) if b > a else None for a, b in zip(lo, hi, strict=True)]
    assert found == pytest.approx(expected, nan_ok=True)
    if len(ends) < 100 and ahead <= 0:
        assert held < rows / 2


class _ListsInPlace(slidewise.Aggregator):
    """Keeps the list of the first row, and appends to it."""

    bufferSchema = t.StructType([t.StructField("all", t.ArrayType(t.IntegerType()))])  # noqa: N815
    outputType = t.ArrayType(t.IntegerType())  # noqa: N815

    def zero(self):
        return (None,)

    def reduce(self, buffer, value):
        if value[0] is None:
            return buffer
        if buffer[0] is None:
            return (value[0],)
        buffer[0].extend(value[0])
        return buffer

    def merge(self, older, newer):
        if older[0] is None:
            return (list(newer[0]),) if newer[0] is not None else older
        older[0].extend(newer[0] or [])
        return older

    def finish(self, buffer):
        return list(buffer[0] or [])


@pytest.mark.parametrize("width", [1, 2, 4, 9])
def test_lists_of_rows_that_become_buffers(width):
    values = [None if i % 3 == 0 else [i] for i in range(60)]
    evaluation = over._evaluation(_ListsInPlace(), False, timezone.utc)
    lo = [max(0, i + 1 - width) for i in range(60)]
    hi = list(range(1, 61))
    batch = pa.record_batch([pa.array(values, pa.list_(pa.int32()))], ["x"])
    evaluation.arrive(pa.array(lo), pa.array(hi), Inputs(batch, {"arguments": [0], "filter": None}))
    found = evaluation.results(ended=True).to_pylist()
    assert found == [[v for one in values[a:b] for v in one or []] for a, b in zip(lo, hi, strict=True)]


class _SumInBatches(MeanInBatches):
    bufferSchema = t.StructType([t.StructField("sum", t.IntegerType())])  # noqa: N815
    outputType = t.LongType()  # noqa: N815

    def zero(self):
        return (0,)

    def reduce_batch(self, buffers, values):
        return (buffers[0] + values[0],)

    def merge_batch(self, older, newer):
        return (older[0] + newer[0],)

    def finish_batch(self, buffers):
        return buffers[0]


class _WritesToArguments(_SumInBatches):
    def merge_batch(self, older, newer):
        (sums,) = older
        sums += newer[0]
        return (sums,)


def _over_all(aggregator, values):
    evaluation = over._evaluation(aggregator, False, timezone.utc)
    n = len(values)
    batch = pa.record_batch([pa.array(values, pa.int64())], ["x"])
    evaluation.arrive(
        pa.array([max(0, i - 3) for i in range(n)]),
        pa.array(list(range(1, n + 1))),
        Inputs(batch, {"arguments": [0], "filter": None}),
    )
    return evaluation.results(ended=True).to_pylist()


def test_batches_that_do_not_fit_or_are_written_to_are_errors():
    assert _over_all(_SumInBatches(), [1, 2, 3, 4, 5]) == [1, 3, 6, 10, 14]
    words = "reduce_batch returned 2147483653 for the field sum, but int32 has values from -2147483648 to 2147483647"
    with pytest.raises(AggregatorError, match=words):
        _over_all(_SumInBatches(), [1, 2**31 + 5])
    with pytest.raises(AggregatorError, match="read-only"):
        _over_all(_WritesToArguments(), list(range(100)))


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_times_that_a_batch_returns_are_of_the_zone_of_the_session(unit):
    zone = ZoneInfo("Europe/Berlin")

    class Times(_SumInBatches):
        outputType = t.TimestampType()  # noqa: N815

        def finish(self, buffer):
            return datetime(2001, 9, 9, 1, 46, 40)

        def finish_batch(self, buffers):
            return np.full(len(buffers[0]), np.datetime64("2001-09-09T01:46:40", unit))

    calls = Calls(Times())
    found = results_in_arrow(calls.finish_batch((np.zeros(3, dtype=np.int32),)), calls, zone)
    assert found.equals(to_arrow([calls.finish((0,))] * 3, t.TimestampType(), zone))
