"""Runs what is compared in turns, and ends what takes too long."""

from __future__ import annotations

import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")

_WARM = 20.0
"""In seconds."""


class Stoppable(Protocol):
    name: str

    def run(self, sql: str) -> None: ...

    def cancel(self) -> None:
        """Ends what runs, from another thread. The run then raises an error or returns early."""
        ...


def drawn(some: Sequence[T], turns: int) -> Iterator[tuple[int, T]]:
    """All of them in each turn, in another order: garbage that one leaves is not always the same one's."""
    for turn in range(turns):
        for one in random.Random(turn).sample(some, len(some)):
            yield turn, one


def seconds(engine: Stoppable, sql: str, longest: float) -> float | None:
    """How long a query takes, or None if it was stopped after the longest time."""
    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        engine.cancel()

    timer = threading.Timer(longest, stop)
    timer.start()
    start = time.perf_counter()
    try:
        engine.run(sql)
    except Exception:
        if not stopped.is_set():
            raise
    finally:
        timer.cancel()
    return None if stopped.is_set() else time.perf_counter() - start


def warmed(engine: Stoppable, sql: str, longest: float) -> bool:
    """Runs a query until its runs have taken long enough for a JVM to compile it. False if one was stopped."""
    left = _WARM
    while left > 0:
        took = seconds(engine, sql, longest)
        if took is None:
            return False
        left -= took
    return True


def in_turns(
    engines: Sequence[Stoppable], query: Callable[[Stoppable], str], turns: int, longest: float, warm: bool = False
) -> dict[str, list[float] | None]:
    """The seconds of each turn by engine; None for an engine that was stopped, which does not run again."""
    found: dict[str, list[float] | None] = {engine.name: [] for engine in engines}
    for engine in engines if warm else []:
        if not warmed(engine, query(engine), longest):
            found[engine.name] = None
    for _, engine in drawn(engines, turns):
        so_far = found[engine.name]
        if so_far is not None:
            took = seconds(engine, query(engine), longest)
            found[engine.name] = None if took is None else [*so_far, round(took, 4)]
    return found


def spread(took: list[float] | None, longest: float) -> str:
    """A cell with the median, the least and the most seconds."""
    if took is None:
        return f"over {longest:.0f} s"
    return f"{statistics.median(took):.2f} s ({min(took):.2f} to {max(took):.2f})"


def ratio(one: list[float] | None, other: list[float] | None, longest: float) -> str:
    """A cell with the first's median divided by the second's, or the least that it can be if the first was stopped."""
    if other is None:
        return "-"
    divided = (longest if one is None else statistics.median(one)) / statistics.median(other)
    return f"{'over ' if one is None else ''}{divided:.2f} \N{MULTIPLICATION SIGN}"
