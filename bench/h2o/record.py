"""What was measured, as it stands in the results' JSON, and the table made from it."""

from __future__ import annotations

import importlib.metadata
from dataclasses import asdict
from pathlib import Path

from engines import DATAFUSION, DUCKDB, THREADS
from measuring import Effort, Measured
from shared import machine
from shared.markdown import between, head, row
from shared.results import Results
from shared.spark import SLIDEWISE, SPARK
from shared.turns import ratio, spread

_PACKAGES = {"pyspark", "duckdb", "datafusion"}
_ENGINES = (SPARK, SLIDEWISE, DUCKDB, DATAFUSION)
_BY = "\N{DIVISION SIGN}"


def of(measured: list[Measured], effort: Effort) -> Results:
    installed = {d.name: d.version for d in importlib.metadata.distributions() if d.name in _PACKAGES}
    where = machine.where("h2o") | {"threads": THREADS, "versions": installed}
    return {"where": where, "effort": asdict(effort), "queries": [asdict(m) for m in measured]}


def render(results: Results, page: Path) -> None:
    page.write_text(between("h2o", table(results), page.read_text()))


def table(results: Results) -> str:
    pairs = ((SPARK, SLIDEWISE), (SLIDEWISE, DUCKDB), (SLIDEWISE, DATAFUSION))
    lines = head("query", *_ENGINES, *(f"{one} {_BY} {other}" for one, other in pairs))
    longest = results["effort"]["longest"]
    for query in results["queries"]:
        took = query["seconds"]
        seconds = (spread(took[name], longest) if name in took else "-" for name in _ENGINES)
        ratios = (ratio(took[a], took[b], longest) if a in took and b in took else "-" for a, b in pairs)
        lines.append(row(query["query"], *seconds, *ratios))
    return "\n".join([*lines, "", _where(results)])


def _where(results: Results) -> str:
    at, effort = results["where"], results["effort"]
    versions = ", ".join(f"{package} {version}" for package, version in sorted(at["versions"].items()))
    return (
        f"{effort['rows']:,} rows. Whole queries: median (least to most) of {effort['turns']} turns. "
        f"Slidewise {at['slidewise']} ({at['commit']}); {versions}; "
        f"{at['threads']} threads on {machine.words(at)}; {at['date']}."
    )
