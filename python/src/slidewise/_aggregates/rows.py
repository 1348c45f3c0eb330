"""Frames of rows, evaluated row by row: Two-Stacks Lite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any, Optional

Buffer = tuple[Any, ...]
"""The values of a buffer, one for each field of its schema."""

Frame = tuple[int, int]
"""The number of its first row, and of the row after its last."""

Row = Optional[tuple[Any, ...]]
"""The arguments of a row; None if a filter leaves it out."""


class FrameOfRows:
    """A frame that moves over rows, with the aggregate of its rows.

    The rows are numbered from 0. Neither end of the frame moves back.

    Two-Stacks Lite (Tangwongsan, Hirzel, Schneider, section 4): `_suffixes` holds an aggregate for each row of the
    frame's older part, of the rows from it to the end of that part, the oldest row's last; `_back` the aggregate of its
    newer part. Evicting the last row of the older part turns the newer part into it.

    Amortised cost: a row is reduced twice and merged once, and a result is merged once. Memory: a buffer for each row
    of the older part, and the rows of the frame.
    """

    def __init__(
        self,
        zero: Callable[[], Buffer],
        reduce: Callable[[Buffer, tuple[Any, ...]], Buffer],
        merge: Callable[[Buffer, Buffer], Buffer],
    ) -> None:
        self._zero, self._reduce, self._merge = zero, reduce, merge
        self._rows: list[Row] = []
        self._first = 0  # the number of the first of the rows
        self._lo = self._flipped = self._hi = 0  # the older part ends, and the newer begins, at _flipped
        self._suffixes: list[Buffer] = []
        self._back = zero()
        self._copies = False

    def arrive(self, rows: Sequence[Row], mutable: bool = False) -> None:
        """Adds rows that later frames may enter.

        `mutable`: whether their values may be lists or dictionaries. `reduce` may put these into a buffer and change
        them later, and a row is read twice.
        """
        self._copies = mutable
        del self._rows[: self._lo - self._first]
        self._first = self._lo
        self._rows.extend(rows)

    def aggregates(self, frames: Iterable[Frame]) -> Iterator[Buffer]:
        """The aggregate of each frame's rows, which have arrived. To be exhausted before more of them do."""
        rows, first = self._rows, self._first
        lo, flipped, hi = self._lo, self._flipped, self._hi
        suffixes, back = self._suffixes, self._back
        zero, reduce, merge = self._zero, self._reduce, self._merge
        copies = self._copies
        for begin, end in frames:
            while hi < end:
                row = rows[hi - first]
                hi += 1
                if row is not None:
                    back = reduce(back, deepcopy(row) if copies else row)
            if begin > lo:
                if begin >= hi:
                    suffixes = []
                    back = zero()
                    flipped = hi = begin
                elif begin <= flipped:
                    del suffixes[flipped - begin :]
                else:
                    suffixes = self._suffixes_of(rows[begin - first : hi - first])
                    back = zero()
                    flipped = hi
                lo = begin
            if not suffixes:
                yield back
            elif flipped == hi:
                yield suffixes[-1]
            else:
                yield merge(suffixes[-1], back)
        self._lo, self._flipped, self._hi = lo, flipped, hi
        self._suffixes, self._back = suffixes, back

    def _suffixes_of(self, rows: list[Row]) -> list[Buffer]:
        zero, reduce, merge = self._zero, self._reduce, self._merge
        suffixes: list[Buffer] = []
        suffix: Buffer | None = None
        for row in reversed(rows):
            if row is not None:
                one = reduce(zero(), row)
                suffix = one if suffix is None else merge(one, suffix)
            suffixes.append(zero() if suffix is None else suffix)
        return suffixes


class GrowingFrame:
    """A frame that gains rows and loses none, until it begins anew. Cost: a row is reduced once. Memory: one buffer."""

    def __init__(self, zero: Callable[[], Buffer], reduce: Callable[[Buffer, tuple[Any, ...]], Buffer]) -> None:
        self._zero, self._reduce = zero, reduce
        self._rows: list[Row] = []
        self._first = 0
        self._lo = self._hi = 0
        self._buffer = zero()

    def arrive(self, rows: Sequence[Row], mutable: bool = False) -> None:
        """Adds rows that later frames may enter. They are read once, so that `reduce` may change their values."""
        del self._rows[: self._hi - self._first]
        self._first = self._hi
        self._rows.extend(rows)

    def aggregates(self, frames: Iterable[Frame]) -> Iterator[Buffer]:
        """The aggregate of each frame's rows, which have arrived. To be exhausted before more of them do.

        A frame begins where the last one does, or not before its end.
        """
        rows, first, reduce = self._rows, self._first, self._reduce
        lo, hi, buffer = self._lo, self._hi, self._buffer
        for begin, end in frames:
            if begin != lo:
                buffer = self._zero()
                lo = hi = begin
            while hi < end:
                row = rows[hi - first]
                hi += 1
                if row is not None:
                    buffer = reduce(buffer, row)
            yield buffer
        self._lo, self._hi, self._buffer = lo, hi, buffer
