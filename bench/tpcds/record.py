"""What was measured, and the table made from it."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from shared import machine
from shared.markdown import between, head, row
from shared.results import Results
from shared.spark import SLIDEWISE, SPARK
from shared.turns import ratio, spread


def of(queries: list[dict[str, Any]], threads: int, effort: dict[str, Any]) -> Results:
    where = machine.where("tpcds") | {"threads": threads, "versions": {"pyspark": version("pyspark")}}
    return {"where": where, "effort": effort, "queries": queries}


def render(results: Results, page: Path) -> None:
    page.write_text(between("tpcds", table(results), page.read_text()))


def table(results: Results) -> str:
    lines = head("query", "rows", SPARK, SLIDEWISE, f"{SPARK} \N{DIVISION SIGN} {SLIDEWISE}", "windows left to Spark")
    at, effort = results["where"], results["effort"]
    longest = effort["longest"]
    for query in results["queries"]:
        off, on = (query["seconds"][name] for name in (SPARK, SLIDEWISE))
        cells = (spread(off, longest), spread(on, longest), ratio(off, on, longest))
        lines.append(row(str(query["query"]), f"{query['rows']:,}", *cells, str(query["left"])))
    where = (
        f"Scale factor {effort['scale']:g}. Whole queries: median (least to most) of {effort['turns']} turns. "
        f"Slidewise {at['slidewise']} ({at['commit']}), pyspark {at['versions']['pyspark']}; "
        f"{at['threads']} threads on {machine.words(at)}; {at['date']}."
    )
    return "\n".join([*lines, "", where])
