"""The workflows run targets of make alone, so that each step can be run here."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = re.compile(r"^\s*(?:- )?run:\s*(.*)$", re.M)
TARGET = re.compile(r"(?:[A-Z_]+=\S+ )*make ([a-z0-9-]+)(?: [A-Z_]+=(?:\"[^\"]*\"|\S+))*")


def steps(text: str) -> list[str]:
    return RUN.findall(text)


def target(step: str) -> str | None:
    """The target of make that a step runs, if it runs nothing else."""
    found = TARGET.fullmatch(step.strip())
    return found and found[1]


def targets() -> set[str]:
    makefiles = [ROOT / "Makefile", ROOT / "build/release/release.mk"]
    return {name for file in makefiles for name in re.findall(r"^([a-z][a-z0-9-]*):(?!=)", file.read_text(), re.M)}


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("make lint", "lint"),
        ("SLIDEWISE_LONG=1 make test-minors", "test-minors"),
        ('make publish-github TAG="${{ github.ref_name }}"', "publish-github"),
        ("mkdir upload && cp a b upload", None),
        ("make lint && echo done", None),
        ("|", None),
    ],
)
def test_what_a_step_runs(step: str, expected: str | None) -> None:
    assert target(step) == expected


@pytest.mark.parametrize("file", sorted(path.name for path in (ROOT / ".github/workflows").glob("*.yml")))
def test_each_step_is_a_target(file: str) -> None:
    found = steps((ROOT / ".github/workflows" / file).read_text())
    assert found
    known = targets()
    assert [step for step in found if target(step) not in known] == []


def test_each_requirements_file_is_audited() -> None:
    def said(*command: str) -> set[str]:
        return set(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split())

    files = said("git", "ls-files", "*requirements*.txt")
    assert {"python/requirements-dev.txt", "bench/hopping/requirements-flink.txt"} <= files
    audited = {word.rstrip(";") for word in said("make", "-n", "audit-online")}
    assert files - audited == set()
