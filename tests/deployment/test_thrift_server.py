"""SQL over JDBC, as of dbt-spark or a dashboard: a Thrift server that was started with the jar."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deployment.commands import HOME, SWITCHED_ON, finished, free_port, running, settings
from deployment.program import QUERY
from deployment.test_connect import wait_for_port

SERVER = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"


def beeline(folder: Path, port: int, sql: str) -> str:
    """What the server answers, as values separated by commas."""
    url = f"jdbc:hive2://127.0.0.1:{port}"
    return finished(
        folder,
        str(HOME / "bin" / "beeline"),
        "-u",
        url,
        "--outputformat=csv2",
        "--showHeader=false",
        "--silent=true",
        "-e",
        sql,
        timeout=240,
    ).stdout


@pytest.mark.long
def test_a_client_over_jdbc(tmp_path: Path) -> None:
    port = free_port()
    command = ("spark-submit", "--master", "local[2]", *settings(tmp_path), *SWITCHED_ON, "--class", SERVER)
    at = ("--conf", f"spark.hadoop.hive.server2.thrift.port={port}", "spark-internal")
    query = " ".join(QUERY.split())
    with running(tmp_path, "server", *command, *at):
        wait_for_port(port)
        printed = beeline(
            tmp_path, port, f"{query}; EXPLAIN {query}; SET spark.slidewise.enabled=false; {query}; EXPLAIN {query}"
        )
    on, off = printed.split("spark.slidewise.enabled,false")
    assert "SlidingWindow [" in on
    assert "SlidingWindow [" not in off
    answers = re.findall(r"(?:^|> )(\d+,\d+)$", printed, re.MULTILINE)
    assert len(answers) == 2
    assert answers[0] == answers[1]
