"""The headline queries on each Spark minor, each against its own Spark."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import pyspark
import record
import tables
from cases import HEADLINE
from engines import SLIDEWISE, SPARK
from shared.markdown import head, put, row


def of_pyspark() -> tuple[int, int]:
    """The Spark minor that runs."""
    major, minor = pyspark.__version__.split(".")[:2]
    return int(major), int(minor)


def run_on(minor: str, arguments: list[str], root: Path) -> None:
    """Replaces this process by one in the virtual environment of the minor's last tested patch."""
    sys.path.append(str(root / "build"))
    from spark_builds import spark_builds
    from spark_venvs import environment

    patches = {build.minor: build.tested[-1] for build in spark_builds()}
    if minor not in patches:
        raise click.BadParameter(f"{minor!r} is not among {', '.join(patches)}", param_hint="--minor")
    python = environment(patches[minor])
    at = next(i for i, argument in enumerate(arguments) if argument.startswith("--minor"))
    rest = arguments[:at] + arguments[at + (1 if "=" in arguments[at] else 2) :]
    own = ["--no-docs", "--no-others", "--results", str(_results(root, minor)), *rest]
    os.execv(python, [str(python), str(Path(__file__).with_name("run.py")), *own])


def render(root: Path) -> None:
    """Puts the table of the ratios between its markers, from the results of each minor."""
    found = {
        path.stem.split("-")[1]: record.read(path) for path in sorted(_results(root, "*").parent.glob("queries-*"))
    }
    groups = {minor: groups[HEADLINE] for minor, groups in found.items() if HEADLINE in groups}
    if groups:
        put("minors", "\n".join(_table(groups)), root / "docs/performance.md")


def _results(root: Path, minor: str) -> Path:
    return root / f"bench/results/queries-{minor}.json"


def _table(groups: dict[str, record.Group]) -> list[str]:
    """Spark's time divided by Slidewise's: a line a query, a column a minor."""
    lines = head("query", "rows", *(f"Spark {group.where['versions']['pyspark']}" for group in groups.values()))
    asked = {(m.case, m.rows) for group in groups.values() for m in group.measurements if m.engine == SLIDEWISE}
    for case, rows in sorted(asked):
        pairs = ((group.find(case, SPARK, rows), group.find(case, SLIDEWISE, rows)) for group in groups.values())
        ratios = (tables.ratio_of(off, on) for off, on in pairs)
        lines.append(row(case, f"{rows:,}", *ratios))
    return lines
