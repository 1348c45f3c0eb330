"""Executors that come when tasks wait, and go after a second of idleness."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from deployment.commands import HOME, SWITCHED_ON, finished, settings
from deployment.operators import QUERIES

PROGRAM = str(Path(__file__).parent / "operators_program.py")
# Seconds between two queries.
PAUSE = "3"
SETTINGS = {
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.timeout": "1s",
    "spark.dynamicAllocation.minExecutors": "0",
    "spark.dynamicAllocation.maxExecutors": "2",
    "spark.dynamicAllocation.executorIdleTimeout": "1s",
    "spark.dynamicAllocation.cachedExecutorIdleTimeout": "1s",
    "spark.dynamicAllocation.schedulerBacklogTimeout": "1s",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
}


@pytest.mark.long
def test_executors_that_come_and_go(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    pairs = SETTINGS | {"spark.eventLog.dir": str(logs)}
    conf = [word for key, value in pairs.items() for word in ("--conf", f"{key}={value}")]
    command = (str(HOME / "bin" / "spark-submit"), "--master", "local-cluster[2,1,1024]", *settings(tmp_path), *conf)
    done = finished(tmp_path, *command, *SWITCHED_ON, PROGRAM, PAUSE, timeout=580)
    found = [line for line in done.stdout.splitlines() if "taken" in line]
    assert found == [f"{name}: taken True, same True" for name in QUERIES]
    files = [file for file in logs.rglob("*") if file.is_file()]
    events = Counter(json.loads(line)["Event"] for file in files for line in file.open() if line.startswith("{"))
    assert events["SparkListenerExecutorAdded"] > 2
    assert events["SparkListenerExecutorRemoved"] > 0
