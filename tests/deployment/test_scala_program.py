"""A Scala program, with an aggregator of the user's own, compiled and submitted with the jar."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled import compiled

from deployment.commands import SWITCHED_ON, run

SOURCE = Path(__file__).parent / "UserProgram.scala"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(SOURCE, tmp_path_factory.mktemp("scala"))


@pytest.mark.long
def test_a_scala_program(tmp_path: Path, program: Path) -> None:
    small = ("--conf", "spark.executor.memory=512m")
    submitted = ("--master", "local-cluster[2,1,1024]", *small, *SWITCHED_ON, "--class", "UserProgram", str(program))
    assert "rows 500, same true, SlidingWindow true false" in run(tmp_path, "spark-submit", *submitted)
