"""Typed Datasets over results of windows, on executors that get the user's classes and Slidewise's from the driver."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled import compiled

from deployment.commands import SWITCHED_ON, run

SOURCE = Path(__file__).parent / "TypedWindows.scala"
ASKED = ("map", "filter", "groupByKey", "a sum of groups", "a window above", "hopping", "window join", "as-of join")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(SOURCE, tmp_path_factory.mktemp("typed"))


@pytest.mark.long
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_typed_datasets(tmp_path: Path, program: Path, adaptive: str) -> None:
    cluster = ("--master", "local-cluster[2,1,1024]", "--conf", "spark.executor.memory=512m")
    settings = ("--conf", f"spark.sql.adaptive.enabled={adaptive}", *SWITCHED_ON)
    printed = run(tmp_path, "spark-submit", *cluster, *settings, "--class", "TypedWindows", str(program))
    found = [line for line in printed.splitlines() if "taken" in line]
    assert found == [f"{name}: taken true false, same true" for name in ASKED]
