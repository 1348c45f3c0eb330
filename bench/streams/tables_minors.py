"""The table of streams on each Spark minor, each against the floor on the same Spark."""

from __future__ import annotations

from pathlib import Path

import record
import tables
from cases import EACH_MINOR
from shared import minors
from shared.markdown import head, put, row

NAME = "streams"


def render(root: Path) -> None:
    """Puts the table of the ratios between its markers, from the results of each minor."""
    found = {minor: record.read(path) for minor, path in minors.results(NAME).items()}
    records = [of[EACH_MINOR.name] for of in found.values() if EACH_MINOR.name in of]
    if records:
        put(tables.marker(EACH_MINOR.name), "\n".join(_table(records)), root / "docs/performance-streams.md")


def _table(records: list[record.Record]) -> list[str]:
    """The time divided by the floor's, and in brackets that of the processor: a line a query, a column a minor."""
    lines = head("query", *(f"Spark {one.where['spark']}" for one in records))
    for case in EACH_MINOR.cases:
        measured = [next(m for m in one.measurements if m.case == case) for one in records]
        lines.append(row(f"{case.aggregate}, {case.frame_in_words}", *map(_ratio, measured, records)))
    return lines


def _ratio(of: record.Measurement, among: record.Record) -> str:
    floor = tables.named(among, tables.FLOOR)
    assert floor
    wall, busy = tables.ratios(of, floor)
    return f"{wall:.2f} \N{MULTIPLICATION SIGN} ({busy:.2f})"
