"""The seed and the number of random queries: SLIDEWISE_SEED and SLIDEWISE_QUERIES."""

from __future__ import annotations

import os
import random

import pytest

_asked = os.environ.get("SLIDEWISE_SEED", "1")
SEED = random.randrange(10**9) if _asked == "random" else int(_asked)
QUERIES = int(os.environ.get("SLIDEWISE_QUERIES", "96"))


def pytest_report_header() -> str:
    return f"random queries: SLIDEWISE_SEED={SEED} SLIDEWISE_QUERIES={QUERIES}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "index" in metafunc.fixturenames:
        metafunc.parametrize("index", range(QUERIES))


@pytest.fixture(scope="session")
def seed() -> int:
    return SEED
