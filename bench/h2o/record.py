"""What was measured, as it stands in the results' JSON, and the table made from it."""

from __future__ import annotations

import importlib.metadata
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engines import DATAFUSION, DUCKDB, THREADS
from measuring import Effort, Measured
from queries import QUERIES
from shared import machine
from shared.markdown import head, put, row
from shared.results import Results
from shared.spark import SLIDEWISE, SPARK
from shared.turns import ratio, spread

_PACKAGES = {"pyspark", "duckdb", "datafusion"}
_ENGINES = (SPARK, SLIDEWISE, DUCKDB, DATAFUSION)
_BY = "\N{DIVISION SIGN}"


def where() -> dict[str, Any]:
    installed = {d.name: d.version for d in importlib.metadata.distributions() if d.name in _PACKAGES}
    return machine.where("h2o") | {"threads": THREADS, "versions": installed}


def merged(old: Results, measured: Measured, effort: Effort, at: dict[str, Any]) -> Results:
    """The new figures in the place of the old ones of the same query, with where they were measured."""
    found = {entry["query"]: entry for entry in old.get("queries", [])}
    found[measured.query] = asdict(measured) | {"effort": asdict(effort), "where": at}
    return {"queries": [found[query.name] for query in QUERIES if query.name in found]}


def render(results: Results, page: Path) -> None:
    put("h2o", table(results), page)


def table(results: Results) -> str:
    pairs = ((SPARK, SLIDEWISE), (SLIDEWISE, DUCKDB), (SLIDEWISE, DATAFUSION))
    lines = head("query", *_ENGINES, *(f"{one} {_BY} {other}" for one, other in pairs))
    for query in results["queries"]:
        took, longest = query["seconds"], query["effort"]["longest"]
        seconds = (spread(took[name], longest) if name in took else "-" for name in _ENGINES)
        ratios = (ratio(took[a], took[b], longest) if a in took and b in took else "-" for a, b in pairs)
        lines.append(row(query["query"], *seconds, *ratios))
    return "\n".join([*lines, "", *_runs(results)])


def _runs(results: Results) -> list[str]:
    """A line for each run, with the numbers of its queries where there are more runs than one."""
    runs: dict[str, list[str]] = {}
    for query in results["queries"]:
        runs.setdefault(_where(query), []).append(query["query"].split(":")[0])
    if len(runs) == 1:
        return [*runs]
    return [f"- {', '.join(queries)}: {where}" for where, queries in runs.items()]


def _where(query: Results) -> str:
    at, effort = query["where"], query["effort"]
    return machine.whole_queries(f"{effort['rows']:,} rows", effort["turns"], at)
