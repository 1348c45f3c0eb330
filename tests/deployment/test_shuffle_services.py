"""Windows whose rows a remote shuffle service holds: Apache Celeborn and Apache Uniffle, with their own servers.

Maven Central has the clients and not the servers. `CELEBORN_HOME` and `RSS_HOME` name the folders of the distributions.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from maven import jar_of
from session import slidewise_jar

from deployment.commands import SWITCHED_ON, run
from deployment.shuffles import servers
from deployment.shuffles.queries import QUERIES

PROGRAM = str(Path(__file__).parent / "shuffles/program.py")
CLUSTER = ("--master", "local-cluster[2,1,1024]", "--conf", "spark.executor.memory=512m")
SERVICES = {
    "celeborn": ("CELEBORN_HOME", "org.apache.celeborn", "celeborn-client-spark-3-shaded_2.12", "0.5.4"),
    "uniffle": ("RSS_HOME", "org.apache.uniffle", "rss-client-spark3-shaded", "0.9.2"),
}

pytestmark = pytest.mark.skipif(
    "spark-3.5_2.12" not in slidewise_jar().name, reason="the clients are for Spark 3 with Scala 2.12"
)


def reports(folder: Path, service: str, *arguments: str, master: tuple[str, ...] = ("--master", "local[2]")):
    """What the program reports of each query."""
    variable, *artifact = SERVICES[service]
    if not os.environ.get(variable):
        pytest.skip(f"{variable} names no folder with the servers")
    client = str(jar_of(*artifact))
    with getattr(servers, service)(Path(os.environ[variable]), folder) as conf:
        conf |= {"spark.driver.extraClassPath": client, "spark.executor.extraClassPath": client}
        settings = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
        said = run(folder, "spark-submit", *master, *settings, *SWITCHED_ON, PROGRAM, *arguments)
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def assert_same(found: list[dict[str, object]], names: list[str]) -> None:
    assert [report["query"] for report in found] == names
    for report in found:
        assert report["same"], report
        assert report["rows"], report
        assert not report["missing"], report


@pytest.mark.long
@pytest.mark.parametrize("service", SERVICES)
def test_answers(tmp_path: Path, service: str) -> None:
    found = reports(tmp_path, service, "0")
    assert_same(found, list(QUERIES))
    for report in found:
        operators = QUERIES[report["query"]].operators
        assert (report["tasks"] > 1) == ("RunsExchange" in operators), report
        # The session has one executor, so that Spark's own shuffle would read nothing from elsewhere.
        assert report["read from executors"] == 0, report
        exchanged = any("Exchange" in operator for operator in operators)
        assert (report["read from the service"] > 0) == exchanged, report


@pytest.mark.long
@pytest.mark.parametrize("stage", ["1", "2"])
@pytest.mark.parametrize("service", SERVICES)
def test_an_executor_that_is_killed(tmp_path: Path, service: str, stage: str) -> None:
    """In the stage that writes the rows, or in the one after it."""
    names = ["by key", "no keys", "skew that is expected"]
    assert_same(reports(tmp_path, service, stage, *names, master=CLUSTER), names)
