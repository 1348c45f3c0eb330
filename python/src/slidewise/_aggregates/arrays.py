"""Frames of rows, evaluated in NumPy arrays for many rows at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Buffers = tuple[Array, ...]
"""Buffers by field: an array for each field, with an element for each buffer."""

Merge = Callable[[Buffers, Buffers], Buffers]

_SHORT = 32
"""Frames of at most so many rows are put together from powers of two; longer ones from two scans."""


def merged_frames(buffers: Buffers, zeros: Callable[[int], Buffers], merge: Merge, los: Array, his: Array) -> Buffers:
    """The merged buffers of the frames `[los[i], his[i])`, whose ends do not move back. Those of no rows where empty.

    Cost: about five merges a row, and for frames of at most `_SHORT` rows two for each power of two. Memory: six times
    the buffers.
    """
    result = zeros(len(los))
    filled = np.flatnonzero(los < his)
    if len(filled):
        lo, hi = los[filled], his[filled]
        short = int((hi - lo).max()) <= _SHORT
        found = (_of_powers if short else _of_scans)(buffers, merge, lo, hi)
        if len(filled) == len(los):
            return found
        _put(result, filled, found)
    return result


def _of_powers(buffers: Buffers, merge: Merge, lo: Array, hi: Array) -> Buffers:
    left = hi - lo
    at = lo.copy()
    powers = buffers  # of so many rows from each one on
    rows = 1
    result: Buffers | None = None
    started = np.zeros(len(lo), dtype=bool)
    most = int(left.max())
    while rows <= most:
        taking = np.flatnonzero(left & rows)
        if len(taking):
            parts = _take(powers, at[taking])
            if result is None:
                result = tuple(np.empty(len(lo), dtype=part.dtype) for part in parts)
            fresh = ~started[taking]
            _put(result, taking[fresh], _take(parts, fresh))
            older = taking[~fresh]
            if len(older):
                _put(result, older, merge(_take(result, older), _take(parts, ~fresh)))
            started[taking] = True
            at[taking] += rows
        if 2 * rows <= most:
            powers = merge(tuple(p[:-rows] for p in powers), tuple(p[rows:] for p in powers))
        rows *= 2
    assert result is not None
    return result


def _of_scans(buffers: Buffers, merge: Merge, lo: Array, hi: Array) -> Buffers:
    """Cuts each frame at one of a few places: the rows before it are in a scan that ends there, the others in one that
    begins there. A place serves frames until one begins after it (as the flips of Two-Stacks)."""
    n = len(buffers[0])
    cuts = _cuts(lo, hi)
    starts = np.zeros(n, dtype=bool)
    starts[cuts[cuts < n]] = True
    ends = np.zeros(n, dtype=bool)
    ends[cuts[cuts > 0] - 1] = True
    prefixes = _scan(buffers, starts, merge)
    backwards = tuple(b[::-1] for b in buffers)
    suffixes = tuple(s[::-1] for s in _scan(backwards, ends[::-1], lambda newer, older: merge(older, newer)))
    cut = np.repeat(cuts, np.diff(np.searchsorted(lo, cuts, side="right"), prepend=0))
    only_before, only_after = cut == hi, cut == lo
    both = np.flatnonzero(~(only_before | only_after))
    result = _take(prefixes, hi - 1)
    before = np.flatnonzero(only_before & ~only_after)
    _put(result, before, _take(suffixes, lo[before]))
    if len(both) == len(lo):
        return merge(_take(suffixes, lo), result)
    _put(result, both, merge(_take(suffixes, lo[both]), _take(result, both)))
    return result


def _cuts(lo: Array, hi: Array) -> Array:
    """Positions in order, such that the first that is not before a frame's begin is not after its end."""
    cuts = []
    frame = 0
    while frame < len(lo):
        cuts.append(hi[frame])
        frame = int(np.searchsorted(lo, hi[frame], side="right"))
    return np.array(cuts, dtype=np.int64)


def _scan(buffers: Buffers, starts: Array, merge: Merge) -> Buffers:
    """The buffers of each segment merged from its first on, in two merges a row (Blelloch, Prefix Sums and Their
    Applications, section 1.5)."""
    n = len(starts)
    if n < 2:
        return buffers
    half = n // 2
    odd, odd_starts = tuple(b[1 : 2 * half : 2] for b in buffers), starts[1 : 2 * half : 2]
    pairs = merge(tuple(b[0 : 2 * half : 2] for b in buffers), odd)
    alone = np.flatnonzero(odd_starts)
    _put(pairs := _own(pairs), alone, _take(odd, alone))
    scanned = _scan(pairs, starts[0 : 2 * half : 2] | odd_starts, merge)
    result = tuple(np.empty(n, dtype=s.dtype) for s in scanned)
    for r, s, b in zip(result, scanned, buffers):
        r[1 : 2 * half : 2] = s
        r[0] = b[0]
    later = tuple(b[2::2] for b in buffers)
    count = len(later[0])
    if count:
        evens = _own(merge(tuple(s[:count] for s in scanned), later))
        alone = np.flatnonzero(starts[2::2])
        _put(evens, alone, _take(later, alone))
        for r, e in zip(result, evens):
            r[2::2] = e
    return result


def _own(buffers: Buffers) -> Buffers:
    """Arrays that can be written to: `merge` may return its arguments, which are parts of others."""
    return tuple(b if b.flags.owndata and b.flags.writeable else np.array(b) for b in buffers)


def _take(buffers: Buffers, places: Array) -> Buffers:
    return tuple(b[places] for b in buffers)


def _put(buffers: Buffers, places: Array, found: Buffers) -> None:
    if len(places):
        for to, value in zip(buffers, found):
            to[places] = value
