"""A Scala program, with an aggregator of the user's own, compiled and submitted with the jar."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deployment.commands import HOME, SWITCHED_ON, run

SOURCE = Path(__file__).parent / "UserProgram.scala"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program as a jar, made by the compiler that Spark's own shell has."""
    jar = tmp_path_factory.mktemp("scala") / "program.jar"
    subprocess.run(
        ["java", "-cp", f"{HOME}/jars/*", "scala.tools.nsc.Main", "-usejavacp", "-d", str(jar), str(SOURCE)],
        check=True,
        timeout=300,
    )
    return jar


def test_a_scala_program(tmp_path: Path, program: Path) -> None:
    small = ("--conf", "spark.executor.memory=512m")
    submitted = ("--master", "local-cluster[2,1,1024]", *small, *SWITCHED_ON, "--class", "UserProgram", str(program))
    assert "rows 500, same true, SlidingWindow true false" in run(tmp_path, "spark-submit", *submitted)
