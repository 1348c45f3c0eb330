"""Executors in processes of their own, which get the jar from the driver."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from deployment.commands import SWITCHED_ON, free_port, run, running
from deployment.expected import REPORT

PROGRAM = str(Path(__file__).parent / "program.py")
SMALL = ("--conf", "spark.executor.memory=512m")


# As test_scala_program.py, with a program in Python.
@pytest.mark.long
def test_local_cluster(tmp_path: Path) -> None:
    cluster = ("--master", "local-cluster[2,1,1024]")
    assert REPORT in run(tmp_path, "spark-submit", *cluster, *SMALL, *SWITCHED_ON, PROGRAM)


@pytest.mark.long
def test_a_standalone_cluster(tmp_path: Path) -> None:
    host, port = "127.0.0.1", free_port()
    address = f"spark://{host}:{port}"
    deploy = ("spark-class", "org.apache.spark.deploy")
    master = (deploy[0], f"{deploy[1]}.master.Master", "--host", host, "--port", str(port), "--webui-port", "0")
    worker = (deploy[0], f"{deploy[1]}.worker.Worker", "--host", host, "--cores", "1", "--memory", "1g")
    with running(tmp_path, "master", *master), running(tmp_path, "worker", *worker, "--webui-port", "0", address):
        wait_for(tmp_path / "worker.log", "Successfully registered with master")
        assert REPORT in run(tmp_path, "spark-submit", "--master", address, *SMALL, *SWITCHED_ON, PROGRAM)


def wait_for(log: Path, words: str, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while words not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()[-3000:]
        time.sleep(0.5)
