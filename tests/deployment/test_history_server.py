"""Spark's history server, without Slidewise's jar, over event logs of Slidewise's plans."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from deployment.commands import HOME, SWITCHED_ON, free_port, run, running
from deployment.operators import QUERIES

PROGRAM = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
sys.path.insert(0, sys.argv[1])
from session import settings
from deployment.operators import QUERIES
spark = SparkSession.builder.getOrCreate()
for name, query in QUERIES.items():
    spark.sparkContext.setJobDescription(name)
    with settings(spark, query.settings):
        spark.sql(query.sql).collect()
spark.stop()
"""
METRICS = {
    "SlidingWindow": {"number of output rows", "peak memory", "time in window, estimated from a sample"},
    "HoppingWindow": {"number of output rows", "peak memory"},
    "WindowJoin": {"number of output rows", "peak memory"},
    "AsOfJoin": {"number of output rows", "peak memory"},
    "WindowTopRows": {"number of output rows", "number of rejected rows"},
    "BlockExchange": {"number of rows", "size of blocks"},
    "RunsExchange": {"number of rows", "size of blocks"},
}


def fetched(url: str, seconds: float = 90) -> str:
    """The page, once the server has it."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urlopen(url, timeout=60) as page:
                return str(page.read().decode())
        except URLError:
            assert time.monotonic() < deadline, url
            time.sleep(0.5)


def first_application(server: str) -> str:
    deadline = time.monotonic() + 90
    while not (found := json.loads(fetched(f"{server}/api/v1/applications"))):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    return str(found[0]["id"])


def assert_shown(execution: dict[str, Any], page: str) -> None:
    query = QUERIES[execution["description"]]
    assert execution["status"] == "COMPLETED"
    assert query.is_taken(execution["planDescription"].replace("\n", " "))
    for operator in query.operators:
        nodes = [node for node in execution["nodes"] if node["nodeName"] == operator]
        assert nodes, (operator, execution["nodes"])
        assert operator in page
        for node in nodes:
            values = {metric["name"]: metric["value"] for metric in node["metrics"]}
            assert METRICS[operator] <= set(values), node
            assert all(re.search(r"\d", value) for value in values.values()), node


@pytest.mark.long
def test_event_logs(tmp_path: Path) -> None:
    assert not list(HOME.glob("jars/slidewise*"))
    logs = tmp_path / "logs"
    logs.mkdir()
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    logging = ("--conf", "spark.eventLog.enabled=true", "--conf", f"spark.eventLog.dir={logs}")
    tests = str(Path(__file__).parents[1])
    run(tmp_path, "spark-submit", "--master", "local[2]", *SWITCHED_ON, *logging, str(program), tests)

    port = free_port()
    settings = tmp_path / "history.conf"
    settings.write_text(f"spark.history.fs.logDirectory {logs}\nspark.history.ui.port {port}\n")
    server = f"http://127.0.0.1:{port}"
    command = ("spark-class", "org.apache.spark.deploy.history.HistoryServer", "--properties-file", str(settings))
    with running(tmp_path, "history", *command):
        application = first_application(server)
        listed = f"{server}/api/v1/applications/{application}/sql?details=true&planDescription=true&length=1000"
        executions = [found for found in json.loads(fetched(listed)) if found["description"] in QUERIES]
        assert [found["description"] for found in executions] == list(QUERIES)
        for found in executions:
            page = fetched(f"{server}/history/{application}/SQL/execution/?id={found['id']}")
            assert_shown(found, page)
        log = (tmp_path / "history.log").read_text()
    assert not re.search(r"ERROR|ClassNotFound|NoClassDef|org.slidewise", log), log[-3000:]
