"""One Spark session for all tests that need no other."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from session import local_session

# The workers' Python is this one.
os.environ["PYSPARK_PYTHON"] = sys.executable
# Python reads a timestamp in the zone of its process.
os.environ["TZ"] = "UTC"
time.tzset()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = local_session(tmp_path_factory.mktemp("spark"))
    yield session
    session.stop()
