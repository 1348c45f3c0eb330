"""What was measured, and the table made from it."""

from __future__ import annotations

import importlib.metadata
from dataclasses import asdict
from pathlib import Path
from typing import Any

from flink import FLINK, VERSION
from measuring import Effort, Seconds
from queries import QUERIES, TUMBLING
from shared import machine
from shared.engines import DUCKDB, THREADS
from shared.markdown import head, put, row
from shared.results import Results
from shared.spark import SLIDEWISE, SPARK
from shared.turns import ratio, spread

_BY = "\N{DIVISION SIGN}"


def of(seconds: Seconds, effort: Effort) -> Results:
    versions = {name: importlib.metadata.version(name) for name in ("pyspark", "duckdb")}
    if any(FLINK in by for by in seconds.values()):
        versions["apache-flink"] = VERSION
    where: dict[str, Any] = machine.where("hopping") | {"threads": THREADS, "versions": versions}
    return {"where": where, "effort": asdict(effort), "seconds": seconds}


def render(results: Results, page: Path) -> None:
    put("hopping", table(results), page)


def table(results: Results) -> str:
    at, effort, took = results["where"], results["effort"], results["seconds"]
    longest = effort["longest"]
    rows = {query.name: query.rows for query in QUERIES}
    compared = (f"{SPARK} {_BY} {SLIDEWISE}", f"{SLIDEWISE} {_BY} {DUCKDB}")
    own = (f"{SLIDEWISE} {_BY} its tumbling", f"{FLINK} {_BY} its tumbling")
    lines = head("windows", SPARK, SLIDEWISE, DUCKDB, FLINK, *compared, *own)
    for name, by in took.items():
        on, off, duckdb = by[SLIDEWISE], by[SPARK], by.get(DUCKDB)
        fewer = rows.get(name)
        lines.append(
            row(
                f"{name}, {fewer:,} rows" if fewer else name,
                *(spread(by[engine], longest) if engine in by else "-" for engine in (SPARK, SLIDEWISE, DUCKDB, FLINK)),
                ratio(off, on, longest),
                ratio(on, duckdb, longest) if duckdb else "-",
                *(
                    ratio(by[engine], took[TUMBLING][engine], longest) if engine in by and not fewer else "-"
                    for engine in (SLIDEWISE, FLINK)
                ),
            )
        )
    where = machine.whole_queries(f"{effort['rows']:,} rows", effort["turns"], at)
    return "\n".join([*lines, "", where])
