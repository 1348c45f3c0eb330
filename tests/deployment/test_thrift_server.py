"""SQL over JDBC, as of dbt-spark or a dashboard: a Thrift server that was started with the jar."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deployment.commands import HOME, SWITCHED_ON, finished, free_port, running, settings
from deployment.program import QUERY
from deployment.test_connect import wait_for_port

HOPPING = """SELECT count(*) AS n, sum(total) AS total FROM (
  SELECT window.start, id % 3 AS k, sum(id) AS total
  FROM (SELECT id, timestamp_seconds(id * 7) AS time FROM range(3000))
  GROUP BY id % 3, window(time, '1 hour', '1 minute'))"""
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
    queries = [" ".join(query.split()) for query in (QUERY, HOPPING)]
    asked = "; ".join(f"{query}; EXPLAIN {query}" for query in queries)
    with running(tmp_path, "server", *command, *at):
        wait_for_port(port)
        printed = beeline(tmp_path, port, f"{asked}; SET spark.slidewise.enabled=false; {asked}")
    on, off = printed.split("spark.slidewise.enabled,false")
    for operator in ("SlidingWindow [", "HoppingWindow "):
        assert operator in on
        assert operator not in off
    answers = [re.findall(r"(?:^|> )(\d+,\d+)$", part, re.MULTILINE) for part in (on, off)]
    assert len(answers[0]) == len(queries)
    assert answers[0] == answers[1]
