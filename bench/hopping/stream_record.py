"""What was measured over streams, and the table made from it."""

from __future__ import annotations

import statistics
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shared import machine
from shared.engines import THREADS
from shared.markdown import head, put, row
from shared.results import Results

_BY = "\N{DIVISION SIGN}"


def of(measured: list[dict[str, Any]], turns: int) -> Results:
    where = machine.where("hopping-streams") | {"threads": THREADS, "versions": {"pyspark": version("pyspark")}}
    return {"where": where, "turns": turns, "measured": measured}


def render(results: Results, page: Path) -> None:
    put("hopping-streams", table(results), page)


def table(results: Results) -> str:
    at, turns = results["where"], results["turns"]
    ratio, written = f"{_BY} tumbling", ("states written for an event", "bytes written for an event")
    lines = head("stream", "windows", "engine", "events a second", ratio, *written, "states at most")
    tumbling = 0.0
    for case in results["measured"]:
        stream = case["stream"]
        events = stream["keys"] * stream["minutes"]
        seconds = statistics.median(case["seconds"])
        if case["size"] == case["slide"]:
            tumbling = seconds
        slowest, fastest = (events / one for one in (max(case["seconds"]), min(case["seconds"])))
        lines.append(
            row(
                f"{events:,} events of {stream['keys']:,} keys in {stream['files']} batches",
                case["windows"],
                case["engine"],
                f"{events / seconds:,.0f} ({slowest:,.0f} to {fastest:,.0f})",
                f"{tumbling / seconds:.2f} \N{MULTIPLICATION SIGN}",
                f"{case['updates'] / events:.2f}",
                f"{case['written_bytes'] / events:,.0f}" if "written_bytes" in case else "-",
                f"{case['state_rows']:,}",
            )
        )
    where = (
        f"Median (least to most) of {turns} turns. Slidewise {at['slidewise']} ({at['commit']}), "
        f"pyspark {at['versions']['pyspark']}; {at['threads']} threads on {machine.words(at)}; {at['date']}."
    )
    return "\n".join([*lines, "", where])
