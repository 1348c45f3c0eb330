"""Windows that several tasks share, on executors that fetch each other's rows, are killed, or run tasks twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployment.commands import SWITCHED_ON, run

PROGRAM = str(Path(__file__).parent / "parallel_program.py")
CLUSTER = ("--master", "local-cluster[2,1,1024]", "--conf", "spark.executor.memory=512m")
QUERIES = 11


def answers(folder: Path, *conf: str, stage: str = "") -> list[str]:
    settings = [word for pair in conf for word in ("--conf", pair)]
    said = run(folder, "spark-submit", *CLUSTER, *settings, *SWITCHED_ON, PROGRAM, *stage.split())
    return [line for line in said.splitlines() if "tasks" in line]


def assert_same(found: list[str]) -> None:
    assert len(found) == QUERIES
    assert all(f": True, {1 if 'sums' in line else 3} tasks" in line for line in found), found


@pytest.mark.long
@pytest.mark.parametrize(
    "conf",
    [
        # Blocks that arrive in any order.
        ("spark.reducer.maxSizeInFlight=16k",),
        ("spark.io.encryption.enabled=true", "spark.reducer.maxBlocksInFlightPerAddress=1"),
        ("spark.speculation=true", "spark.speculation.quantile=0.1", "spark.speculation.multiplier=1.01"),
    ],
    ids=["small requests", "encryption", "speculation"],
)
def test_answers(tmp_path: Path, conf: tuple[str, ...]) -> None:
    found = answers(tmp_path, *conf)
    assert_same(found)


@pytest.mark.long
@pytest.mark.parametrize("stage", ["1", "2"])
def test_an_executor_that_is_killed(tmp_path: Path, stage: str) -> None:
    """In the stage that writes the rows of a table, or in the one after it."""
    found = answers(tmp_path, stage=stage)
    assert_same(found)
    assert any("killed" in line for line in found), found
