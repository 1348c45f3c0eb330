"""Which cases of a test with many `make test` runs; `make test-long` runs all of them."""

from __future__ import annotations

import zlib
from collections import defaultdict

import pytest
from sparks import SPARK

ONE_IN = 4


def mark_long(items: list[pytest.Item], minor: int = SPARK[1]) -> None:
    """Marks all but about a quarter of the cases of a test as long. Each Spark minor runs another quarter."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not item.get_closest_marker("long"):
            cases[item.nodeid.split("[")[0]].append(item)
    for of_one_test in cases.values():
        if len(of_one_test) > 1:
            chosen = [item for item in of_one_test if _quarter(item) == minor % ONE_IN]
            for item in of_one_test:
                if item not in (chosen or of_one_test[:1]):
                    item.add_marker(pytest.mark.long)


def _quarter(item: pytest.Item) -> int:
    # Not a position: every n-th of crossed parameters would have one value of each.
    return zlib.crc32(item.nodeid.encode()) % ONE_IN
