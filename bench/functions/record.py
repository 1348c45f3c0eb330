"""What was measured, as it stands in the results' JSON, and the tables that are made from it."""

from __future__ import annotations

import statistics
from dataclasses import asdict
from pathlib import Path
from typing import Any

from calls import WITHOUT_A_PEER
from shared import machine
from shared.markdown import between, head, row
from shared.results import Results
from state import State
from timing import SLIDEWISE, SPARK, TODAY, Timing


def merged(old: Results, where: dict[str, Any], timings: list[Timing], states: list[State]) -> Results:
    """The new figures in the places of the old ones of the same calls and frames, each with where it was measured."""
    measured = {(t.call, t.frame) for t in timings}
    kept = [t for t in old.get("timings", []) if (t["call"], t["frame"]) not in measured]
    new = [asdict(t) | {"where": where} for t in timings]
    return {"timings": kept + new, "states": [asdict(s) for s in states], "states_where": where}


def render(results: Results, page: Path) -> None:
    """Puts the tables between their markers."""
    text = page.read_text()
    made = "\n\n".join(_of_frame(results["timings"], frame) for frame in _frames(results))
    if made:
        text = between("own", f"{made}\n\n{WITHOUT_A_PEER}", text)
    page.write_text(between("state", _states(results), text))


def _frames(results: Results) -> list[int]:
    return sorted({t["frame"] for t in results["timings"]})


def _of_frame(timings: list[dict[str, Any]], frame: int) -> str:
    of = [t for t in timings if t["frame"] == frame]
    lines = [f"**The last {frame:,} rows**", ""]
    lines += head(
        "function",
        "rows",
        SLIDEWISE,
        SPARK,
        TODAY,
        "Spark \N{DIVISION SIGN} Slidewise",
        "without \N{DIVISION SIGN} Slidewise",
    )
    for call in dict.fromkeys(t["call"] for t in of):
        by = {t["engine"]: t for t in of if t["call"] == call}
        on = by[SLIDEWISE]
        cells = (_seconds(by[engine]) for engine in (SLIDEWISE, SPARK, TODAY))
        lines.append(row(f"`{call}`", f"{on['rows']:,}", *cells, _ratio(by[SPARK], on), _ratio(by[TODAY], on)))
    return "\n".join([*lines, "", _where(of[-1]["where"])])


def _seconds(t: dict[str, Any]) -> str:
    if not t["seconds"]:
        return f"not run: about {t['expected']:,.0f} s"
    return f"{statistics.median(t['seconds']):.2f} s ({min(t['seconds']):.2f} to {max(t['seconds']):.2f})"


def _ratio(one: dict[str, Any], other: dict[str, Any]) -> str:
    if not other["seconds"]:
        return "-"
    here = statistics.median(other["seconds"])
    if not one["seconds"]:
        rough = float(f"{one['expected'] / here:.1g}")
        return f"about {rough:,.0f} \N{MULTIPLICATION SIGN}"
    return f"{statistics.median(one['seconds']) / here:.2f} \N{MULTIPLICATION SIGN}"


def _states(results: Results) -> str:
    lines = head("function", "kept for an exact answer", *(f"of {n:,} rows" for n in _windows(results)))
    for call in dict.fromkeys(s["call"] for s in results["states"]):
        of = {s["rows"]: s for s in results["states"] if s["call"] == call}
        cells = (f"{of[n]['bytes']:,} B for {of[n]['exact_bytes']:,} B" for n in _windows(results))
        lines.append(row(f"`{call}`", next(iter(of.values()))["exact"], *cells))
    return "\n".join([*lines, "", _version(results["states_where"])])


def _windows(results: Results) -> list[int]:
    return sorted({s["rows"] for s in results["states"]})


def _where(at: dict[str, Any]) -> str:
    turns = f"Whole queries: median (least to most) of {at['turns']} turns"
    return f"{turns}. {_version(at)[:-1]}; one thread on {machine.words(at)}; {at['date']}."


def _version(at: dict[str, Any]) -> str:
    return f"Slidewise {at['slidewise']} ({at['commit']}), pyspark {at['pyspark']}."
