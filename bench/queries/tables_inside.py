"""The table of where a query's time goes."""

from __future__ import annotations

from engines import SLIDEWISE
from phases import KERNEL, SORTING
from record import Group


def phases(group: Group) -> list[str]:
    lines = ["| until | engine | seconds |", "| --- | --- | ---: |"]
    for m in group.measurements:
        if m.label not in (SORTING, KERNEL):
            lines.append(f"| {m.label} | {_engine(m.engine, m.label)} | {m.spread} |")
            if m.engine == SLIDEWISE:
                within = (x for x in group.measurements if x.label in (SORTING, KERNEL) and x.length == m.length)
                lines += [f"| - {x.label} | {x.engine} | {x.spread} |" for x in within]
    return lines


def _engine(engine: str, label: str) -> str:
    return "Spark" if engine == label else engine
