"""A QueryExecutionListener that asks each node of each plan for all that lineage and audit tools ask."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled import compiled

from deployment.commands import SWITCHED_ON, run
from deployment.operators import QUERIES

SOURCE = Path(__file__).parent / "PlanWalker.scala"
LOCAL = ("--master", "local[2]", *SWITCHED_ON)


@pytest.fixture(scope="module")
def walker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(SOURCE, tmp_path_factory.mktemp("walker"))


def walked(folder: Path, walker: Path, **changes: str) -> dict[str, tuple[list[str], str]]:
    """By query, the names of its nodes and what failed."""
    lines = folder / "queries"
    with lines.open("w") as file:
        for name, query in QUERIES.items():
            pairs = " ".join(f"{key}={value}" for key, value in (query.settings | changes).items())
            file.write(f"{name}\t{pairs}\t{' '.join(query.sql.split())}\n")
    printed = run(folder, "spark-submit", *LOCAL, "--class", "PlanWalker", str(walker), str(lines))
    found = (line.split("\t") for line in printed.splitlines() if line.count("\t") == 2)
    return {name: (nodes.split(), failed) for name, nodes, failed in found}


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_plans_answer_listeners(tmp_path: Path, walker: Path, adaptive: str) -> None:
    found = walked(tmp_path, walker, **{"spark.sql.adaptive.enabled": adaptive})
    assert list(found) == list(QUERIES)
    for name, (nodes, failed) in found.items():
        assert set(QUERIES[name].operators) <= set(nodes), name
        assert not failed, f"{name}: {failed}"
