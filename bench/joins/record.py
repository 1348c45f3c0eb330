"""What was measured, as it stands in the results' JSON, and the tables made from it."""

from __future__ import annotations

import importlib.metadata
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cases import CASES, PEERS, Case
from measuring import Effort, Run
from shared import machine
from shared.engines import THREADS
from shared.markdown import head, put, row
from shared.results import Results

_PACKAGES = {"pyspark", "duckdb", *PEERS.values()}
_BY, _TIMES = "\N{DIVISION SIGN}", "\N{MULTIPLICATION SIGN}"

Runs = Sequence[Run] | None


def where() -> dict[str, Any]:
    installed = {d.name: d.version for d in importlib.metadata.distributions() if d.name in _PACKAGES}
    return machine.where("joins") | {"threads": THREADS, "versions": installed}


def merged(old: Results, case: Case, runs: dict[str, Any], effort: Effort, at: dict[str, Any]) -> Results:
    """The new figures in the place of the old ones of the same case, with where they were measured."""
    sql = {one.name: one.sql for one in case.contenders if one.name in runs}
    stored = {name: took and [asdict(run) for run in took] for name, took in runs.items()}
    mine = {"sql": sql, "runs": stored, "effort": asdict(effort), "where": at}
    found = old.get("cases", {}) | {case.name: mine}
    return {"cases": {one.name: found[one.name] for one in CASES if one.name in found}}


def render(results: Results, page: Path) -> None:
    put("joins", table(results), page)


def table(results: Results) -> str:
    parts = []
    for case in CASES:
        if case.name in results.get("cases", {}):
            parts += [f"**{case.words[0].upper()}{case.words[1:]}**", "", *_case(case, results["cases"][case.name]), ""]
    return "\n".join(parts).rstrip()


def _case(case: Case, found: Results) -> list[str]:
    longest = found["effort"]["longest"]
    runs: dict[str, Runs] = {name: took and [Run(**run) for run in took] for name, took in found["runs"].items()}
    tasks = {one.name: one.tasks for one in case.contenders if one.tasks and one.name in runs}
    lines = head("query", "seconds", "CPU seconds", *(["largest task \N{MULTIPLICATION SIGN} K"] if tasks else []))
    for name, took in runs.items():
        cells = [_spread(took, _seconds, longest), _spread(took, _cpu, longest)]
        if tasks:
            cells.append(_shares(took, tasks[name] or 1))
        lines.append(row(name, *cells))
    ratios = _ratios(case, runs, longest)
    if ratios:
        lines += ["", *head("ratio", "seconds", "CPU", "goal"), *ratios]
    return [*lines, "", _where(found)]


def _ratios(case: Case, runs: dict[str, Runs], longest: float) -> list[str]:
    lines = []
    for ratio in case.ratios:
        if ratio.of is None or ratio.by is None:
            done = [took for took in runs.values() if took]
            by_kind = [[_median(took, kind) for took in done] for kind in (_seconds, _cpu)]
            cells = [f"{max(each) / min(each):.2f}" for each in by_kind]
            lines.append(row(f"slowest {_BY} fastest", *cells, ratio.goal))
        elif ratio.of in runs and ratio.by in runs:
            cells = [_ratio(runs[ratio.of], runs[ratio.by], kind, longest) for kind in (_seconds, _cpu)]
            lines.append(row(f"{ratio.of} {_BY} {ratio.by}", *cells, ratio.goal))
    return lines


def _ratio(one: Runs, other: Runs, of: Callable[[Run], float], longest: float) -> str:
    """Of the medians of two contenders. A contender that was stopped took at least the longest time."""
    if not other:
        return "-"
    if one:
        return f"{_median(one, of) / _median(other, of):.2f}"
    return f"over {longest / _median(other, of):.2f}" if of is _seconds else "-"


def _spread(took: Runs, of: Callable[[Run], float], longest: float) -> str:
    if not took:
        return f"over {longest:.0f} s" if of is _seconds else "-"
    values = sorted(map(of, took))
    return f"{statistics.median(values):.2f} s ({values[0]:.2f} to {values[-1]:.2f})"


def _shares(took: Runs, tasks: int) -> str:
    shares = sorted((run.largest or 0) * tasks for run in took or ())
    return f"{statistics.median(shares):.2f} ({shares[0]:.2f} to {shares[-1]:.2f})" if shares else "-"


def _median(took: Sequence[Run], of: Callable[[Run], float]) -> float:
    return statistics.median(map(of, took))


def _seconds(run: Run) -> float:
    return run.seconds


def _cpu(run: Run) -> float:
    return run.cpu


def _where(found: Results) -> str:
    at, effort = found["where"], found["effort"]
    note = "CPU seconds are those of the engine's process. "
    return machine.whole_queries(f"Scale {effort['scale']:g}", effort["turns"], at, note)
