"""Settings and random queries for tests of streams."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyspark.sql import SparkSession


@contextmanager
def settings(spark: SparkSession, changes: dict[str, Any]) -> Iterator[None]:
    for key, value in changes.items():
        spark.conf.set(key, str(value))
    try:
        yield
    finally:
        for key in changes:
            spark.conf.unset(key)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "stream_seed" in metafunc.fixturenames:
        asked = os.environ.get("SLIDEWISE_SEED", "8")
        seed = random.randrange(10**9) if asked == "random" else int(asked)
        queries = int(os.environ.get("SLIDEWISE_STREAM_QUERIES", "40"))
        metafunc.parametrize("stream_seed", [seed])
        metafunc.parametrize("index", range(queries), ids=str)
