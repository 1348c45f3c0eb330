"""What was measured, and the table made from it."""

from __future__ import annotations

import statistics
from importlib import metadata
from pathlib import Path
from typing import Any

from cases import CASES, Case
from shared import machine
from shared.engines import THREADS
from shared.markdown import head, put, row
from shared.results import Results


def merged(old: Results, case: Case, measured: dict[str, Any], rows: int, keys: int) -> Results:
    versions = {"pyspark": metadata.version("pyspark")}
    where = machine.where("refresh") | {"threads": THREADS, "versions": versions}
    mine = measured | {"rows": rows, "keys": keys, "where": where}
    found = old.get("cases", {}) | {case.name: mine}
    return {"cases": {one.name: found[one.name] for one in CASES if one.name in found}}


def render(results: Results, page: Path) -> None:
    put("refresh", table(results), page)


def table(results: Results) -> str:
    by = "\N{DIVISION SIGN}"
    lines = head(
        "change and frames",
        "rows read",
        f"seconds {by} whole query",
        f"CPU {by}",
        f"bytes read {by}",
        "seconds",
    )
    found: dict[str, Any] = {}
    for case in CASES:
        found = results.get("cases", {}).get(case.name) or {}
        if found:
            lines.append(_row(case, found))
    if not found:
        return ""
    return "\n".join([*lines, "", _where(list(results["cases"].values()))])


def _row(case: Case, found: dict[str, Any]) -> str:
    runs = found["runs"]["refresh"], found["runs"]["whole query"]

    def ratio(of: str) -> str:
        return f"{_median(runs[0], of) / _median(runs[1], of):.3f}"

    seconds = sorted(run["seconds"] for run in runs[0])
    took = f"{statistics.median(seconds):.1f} ({seconds[0]:.1f} to {seconds[-1]:.1f})"
    took += f", whole {_median(runs[1], 'seconds'):.1f}"
    cells = [f"{found['share'] * 100:.1f} %", ratio("seconds"), ratio("cpu"), ratio("read"), took]
    return row(case.words, *cells)


def _median(runs: list[dict[str, float]], of: str) -> float:
    return statistics.median(run[of] for run in runs)


def _where(found: list[dict[str, Any]]) -> str:
    one = found[-1]
    turns = len(one["runs"]["refresh"])
    # Cases that were measured alone may be of other states of the code.
    commits = dict.fromkeys(case["where"]["commit"] for case in found)
    where = one["where"] | {"commit": ", ".join(commits)}
    return (
        f"{one['rows']:,} rows of {one['keys']:,} keys over 730 days, table and result in a folder of Parquet files "
        f"for each day. Medians of {turns} turns. {machine.measured_on(where)}"
    )
