"""One Spark session for all tests that need no other, and what the run says of itself at its end."""

from __future__ import annotations

import fcntl
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import class_archive
import pytest
from pyspark.sql import SparkSession
from random_queries import random_queries
from sampling import mark_long
from session import local_session, missing_jars
from sparks import needs_streams

__all__ = ["random_queries"]

# The JVM tests have the second compiler, which these do without.
os.environ.setdefault("SPARK_SUBMIT_OPTS", class_archive.options())
# The workers' Python is this one.
os.environ["PYSPARK_PYTHON"] = sys.executable
# Python reads a timestamp in the zone of its process.
os.environ["TZ"] = "UTC"
time.tzset()

# The folders with the slowest tests, which run first, after the random queries. An idle worker takes over the last
# tests of a busy one, and both finish together if those are short.
SLOWEST = ("streams", "python", "deployment", "robustness")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = local_session(tmp_path_factory.mktemp("spark"))
    yield session
    session.stop()


@pytest.fixture(scope="session")
def connect_server(spark: SparkSession) -> str:
    """The address of a Spark Connect server in the session's own JVM, with sessions that have Slidewise as it has."""
    service = getattr(spark._jvm, "org.apache.spark.sql.connect.service.SparkConnectService$")
    server = getattr(service, "MODULE$")
    server.start(spark._jsc.sc())
    return f"sc://127.0.0.1:{server.localPort()}"


# Marks tests before pytest leaves out the long ones, and shares what is left.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    if not any("::" in argument for argument in config.args):
        mark_long(items)
    items.sort(key=_rank)
    for item in items:
        if "streams" in item.path.parts:
            item.add_marker(needs_streams)
    if missing := missing_jars():
        skip = pytest.mark.skip(reason=f"{', '.join(missing)}: not built, see make jars")
        for item in items:
            if item.get_closest_marker("all_jars"):
                item.add_marker(skip)
    yield
    _share(items)


def _is_random(item: pytest.Item) -> bool:
    return "random_queries" in getattr(item, "fixturenames", ())


def _share(items: list[pytest.Item]) -> None:
    """Has two workers, of which each begins with a half of the tests, begin with a half of the random queries."""
    drawn = [item for item in items if _is_random(item)]
    others = items[len(drawn) :]
    middle = len(items) // 2 - len(drawn[::2])
    items[:] = [*drawn[::2], *others[:middle], *drawn[1::2], *others[middle:]]


def _rank(item: pytest.Item) -> int:
    if _is_random(item):
        return -1
    return SLOWEST.index(name) if (name := item.path.parent.name) in SLOWEST else len(SLOWEST)


@pytest.fixture(autouse=True)
def one_connect_server_at_a_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """A client that starts its own server finds it by Spark's default port, and tests run in several processes."""
    if "connect" not in request.node.nodeid or "connect_server" in request.fixturenames:
        yield
        return
    with (Path(tempfile.gettempdir()) / f"slidewise-tests-connect-{os.getuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Seeds and numbers of the random queries."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)]
    said = [f"{r.nodeid}: {v}" for r in reports for k, v in getattr(r, "user_properties", []) if k == "random queries"]
    if said:
        terminalreporter.section("random queries")
        for line in sorted(set(said)):
            terminalreporter.write_line(line)
