"""The table of the headline queries on each Spark minor, each against its own Spark."""

from __future__ import annotations

import statistics
from pathlib import Path

import record
import tables
from cases import HEADLINE
from engines import SLIDEWISE, SPARK
from shared import minors
from shared.markdown import head, put, row

NAME = "queries"


def render(root: Path) -> None:
    """Puts the table of the ratios between its markers, from the results of each minor."""
    found = {minor: record.read(path) for minor, path in minors.results(NAME).items()}
    groups = {minor: groups[HEADLINE] for minor, groups in found.items() if HEADLINE in groups}
    if groups:
        put("minors", "\n".join(_table(groups)), root / "docs/performance.md")


def _table(groups: dict[str, record.Group]) -> list[str]:
    """Spark's time divided by Slidewise's: a line a query, a column a minor."""
    lines = head("query", "rows", *(f"Spark {group.where['versions']['pyspark']}" for group in groups.values()))
    asked = {(m.case, m.rows) for group in groups.values() for m in group.measurements if m.engine == SLIDEWISE}
    for case, rows in sorted(asked):
        pairs = ((group.find(case, SPARK, rows), group.find(case, SLIDEWISE, rows)) for group in groups.values())
        ratios = (tables.ratio_of(off, on) for off, on in pairs)
        lines.append(row(case, f"{rows:,}", *ratios))
    latest = [*groups.values()][-1]
    means = (f"{_gain(group, latest):.2f}" for group in groups.values())
    return [*lines, row("all of them, against the last column", "", *means)]


def _gain(group: record.Group, latest: record.Group) -> float:
    """How often as much a minor gains as the latest: the geometric mean of the queries that ran on both."""
    ours, theirs = _ratios(group), _ratios(latest)
    return statistics.geometric_mean(ours[case] / theirs[case] for case in ours.keys() & theirs.keys())


def _ratios(group: record.Group) -> dict[str, float]:
    """Spark's time divided by Slidewise's, by query."""
    return {
        on.case: off.median / on.median
        for on in group.measurements
        if on.engine == SLIDEWISE and (off := group.find(on.case, SPARK, on.rows))
    }
