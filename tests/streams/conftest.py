"""Random queries for tests of streams."""

from __future__ import annotations

import os
import random

import pytest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "stream_seed" in metafunc.fixturenames:
        asked = os.environ.get("SLIDEWISE_SEED", "8")
        seed = random.randrange(10**9) if asked == "random" else int(asked)
        queries = int(os.environ.get("SLIDEWISE_STREAM_QUERIES", "40"))
        metafunc.parametrize("stream_seed", [seed])
        metafunc.parametrize("index", range(queries), ids=str)
