"""The tables of docs/scale.md, made from the results."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import record
from record import Cost, Measured
from shared import machine
from shared.markdown import between, head, row
from shared.results import Results

_BY, _TIMES = "\N{DIVISION SIGN}", "\N{MULTIPLICATION SIGN}"


def of(found: Results) -> dict[str, str]:
    """The tables by their markers."""
    kinds: dict[str, Callable[[dict[str, Any]], list[str]]] = {
        record.TASKS: _tasks,
        record.GROWTH: _growth,
        record.LARGE: _large,
    }
    return {
        f"scale-{name}": "\n".join([*make(found[name]), "", _where(found[name])])
        for name, make in kinds.items()
        if name in found
    }


def render(found: Results, page: Path) -> None:
    text = page.read_text()
    for marker, table in of(found).items():
        text = between(marker, table, text)
    page.write_text(text)


def _tasks(group: dict[str, Any]) -> list[str]:
    lines = head(
        "window",
        "rows in the file",
        "rows",
        "K",
        "one task",
        "K tasks",
        f"seconds, K {_BY} one",
        f"CPU, K {_BY} one",
        f"largest task {_TIMES} K {_BY} all, last stage",
        "the same, all stages",
    )
    found = record.measured(group)
    one = {(m.query, m.order, m.tasks): m for m in found if not m.parallel}
    for m in (m for m in found if m.parallel):
        alone = one[m.query, m.order, m.tasks]
        lines.append(
            row(
                m.query,
                m.order,
                f"{m.rows:,}",
                str(m.tasks),
                _seconds(alone),
                _seconds(m),
                f"{_median(m, _took) / _median(alone, _took):.2f}",
                f"{_median(m, _cpu) / _median(alone, _cpu):.2f}",
                _spread((m.tasks * cost.last_largest / cost.last_cpu for cost in m.runs), 2),
                _spread((m.tasks * cost.largest / cost.cpu for cost in m.runs), 2),
            )
        )
    return lines


def _growth(group: dict[str, Any]) -> list[str]:
    found = record.measured(group)
    few, many = sorted({m.rows for m in found})
    lines = head(
        "window",
        f"{few:,} rows",
        f"{many:,} rows",
        f"seconds {_BY} linear growth",
        f"CPU {_BY} linear growth",
    )
    for m in (m for m in found if m.rows == few):
        more = next(other for other in found if other.query == m.query and other.rows == many)
        linear = many / few
        lines.append(
            row(
                m.query,
                _seconds(m),
                _seconds(more),
                f"{_median(more, _took) / _median(m, _took) / linear:.2f}",
                f"{_median(more, _cpu) / _median(m, _cpu) / linear:.2f}",
            )
        )
    return lines


def _large(group: dict[str, Any]) -> list[str]:
    (m,) = record.measured(group)
    cost = m.runs[-1]
    lines = [row("figure", ""), row("---", "---:")]
    lines.append(row("window", m.query))
    lines.append(row("rows", f"{m.rows:,}"))
    lines.append(row("tasks", str(m.tasks)))
    lines.append(row("heap for each task", f"{group['heap_gib']} GiB"))
    lines.append(row("seconds", f"{cost.seconds:,.0f}"))
    lines.append(row("CPU seconds", f"{cost.cpu:,.0f}"))
    lines.append(row("spilled", f"{group['spilled'] / 2**30:.1f} GiB"))
    stages = ["write the runs", "evaluate the ranges"] if len(group["rates"]) == 2 else []
    for i, rates in enumerate(group["rates"]):
        name = stages[i] if stages else f"stage {i + 1}"
        millions = ", ".join(f"{rate / 1e6:.2f}" for rate in rates)
        lines.append(row(f"{name}: million rows a second, by quarters of the tasks", millions))
    return lines


def _took(cost: Cost) -> float:
    return cost.seconds


def _cpu(cost: Cost) -> float:
    return cost.cpu


def _median(measured: Measured, of: Callable[[Cost], float]) -> float:
    return statistics.median(map(of, measured.runs))


def _seconds(measured: Measured) -> str:
    return f"{_spread(map(_took, measured.runs), 2)} s"


def _spread(values: Iterable[float], digits: int) -> str:
    some = sorted(values)
    middle = f"{statistics.median(some):.{digits}f}"
    return middle if len(some) == 1 else f"{middle} ({some[0]:.{digits}f} to {some[-1]:.{digits}f})"


def _where(group: dict[str, Any]) -> str:
    at, found = group["where"], record.measured(group)
    turns = len(found[0].runs)
    reads = sorted({m.reads for m in found})
    by = "as many tasks as share the rows" if len(reads) > 1 else f"{reads[0]} tasks"
    runs = "one run" if turns == 1 else f"median (least to most) of {turns} turns"
    return (
        f"Rows from Parquet, read by {by}. Whole queries: {runs}. "
        f"Slidewise {at['slidewise']} ({at['commit']}); pyspark {at['pyspark']}; "
        f"{at['threads']} threads on {machine.words(at)}; {at['date']}."
    )
