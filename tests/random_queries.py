"""How many random queries a test asks: as many as fit into its seconds, and a minimum whatever the time."""

from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Callable, Iterator

import pytest

SECONDS = float(os.environ.get("SLIDEWISE_RANDOM_SECONDS", "4"))
ONLY = os.environ.get("SLIDEWISE_QUERY")


def seed_or(default: int) -> int:
    """SLIDEWISE_SEED: a number, or `random`."""
    asked = os.environ.get("SLIDEWISE_SEED", str(default))
    return random.randrange(10**9) if asked == "random" else int(asked)


class RandomQueries:
    """Asks the queries 0, 1, 2 and so on of a seed, and reports how many it asked."""

    def __init__(self, record: Callable[[str, object], None]) -> None:
        self._record = record

    def ask_each(self, ask: Callable[[int], None], seed: int, minimum: int) -> None:
        begin, asked, index = time.monotonic(), 0, -1
        try:
            for index in self._indices(begin, minimum):
                ask(index)
                asked += 1
        except BaseException as error:
            error.add_note(f"Query {index}. To ask it alone: SLIDEWISE_SEED={seed} SLIDEWISE_QUERY={index}")
            raise
        finally:
            self._record("random queries", f"{asked} in {time.monotonic() - begin:.0f} s, SLIDEWISE_SEED={seed}")
        assert asked >= (1 if ONLY else minimum)

    def _indices(self, begin: float, minimum: int) -> Iterator[int]:
        if ONLY:
            yield int(ONLY)
            return
        for index in itertools.count():
            if index >= minimum and time.monotonic() - begin >= SECONDS:
                return
            yield index


@pytest.fixture
def random_queries(record_property: Callable[[str, object], None]) -> RandomQueries:
    return RandomQueries(record_property)
