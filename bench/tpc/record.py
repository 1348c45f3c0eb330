"""What was measured, and the tables made from it."""

from __future__ import annotations

import statistics
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shared import machine
from shared.markdown import between, head, row
from shared.results import Results
from shared.spark import SLIDEWISE, SPARK
from shared.turns import ratio, spread

NAMES = {"tpcds": "TPC-DS", "tpch": "TPC-H"}


def of(queries: list[dict[str, Any]], threads: int, effort: dict[str, Any]) -> Results:
    where = machine.where("tpc") | {"threads": threads, "versions": {"pyspark": version("pyspark")}}
    return {"where": where, "effort": effort, "queries": queries}


def render(results: Results, page: Path) -> None:
    """Puts the tables of what was measured into the page: of the queries with windows, and of all."""
    text = page.read_text()
    if "tpcds" in results:
        text = between("tpcds", table(results["tpcds"]), text)
    page.write_text(between("tpc-all", overview(results), text))


def table(found: Results) -> str:
    lines = head("query", "rows", SPARK, SLIDEWISE, f"{SPARK} \N{DIVISION SIGN} {SLIDEWISE}", "windows left to Spark")
    longest = found["effort"]["longest"]
    for query in found["queries"]:
        off, on = (query["seconds"][name] for name in (SPARK, SLIDEWISE))
        cells = (spread(off, longest), spread(on, longest), ratio(off, on, longest))
        lines.append(row(str(query["query"]), f"{query['rows']:,}", *cells, str(query["left"])))
    return "\n".join([*lines, "", _where(found)])


def overview(results: Results) -> str:
    """One row a benchmark: how many queries ran and agreed, and how their times compare."""
    divided = f"{SPARK} \N{DIVISION SIGN} {SLIDEWISE}"
    names = ("queries with the same rows", "timed", f"{divided}, least to most", "median", "all")
    lines = head("benchmark, scale factor", *names)
    forms = [form for form in results if form.endswith("-all")]
    for form in forms:
        asked = results[form]["queries"]
        # A query that took too long on either side has no times.
        queries = [query for query in asked if None not in query["seconds"].values()]
        times = {name: [statistics.median(query["seconds"][name]) for query in queries] for name in (SPARK, SLIDEWISE)}
        ratios = sorted(off / on for off, on in zip(times[SPARK], times[SLIDEWISE], strict=True))
        lines.append(
            row(
                f"{NAMES[form.removesuffix('-all')]}, {results[form]['effort']['scale']:g}",
                str(len(asked)),
                str(len(queries)),
                f"{ratios[0]:.2f} to {ratios[-1]:.2f} \N{MULTIPLICATION SIGN}",
                f"{statistics.median(ratios):.2f} \N{MULTIPLICATION SIGN}",
                f"{sum(times[SPARK]) / sum(times[SLIDEWISE]):.2f} \N{MULTIPLICATION SIGN}",
            )
        )
    return "\n".join([*lines, "", *(_where(results[form]) for form in forms)])


def _where(found: Results) -> str:
    at, effort = found["where"], found["effort"]
    return (
        f"Scale factor {effort['scale']:g}. Whole queries: median (least to most) of {effort['turns']} turns. "
        f"Slidewise {at['slidewise']} ({at['commit']}), pyspark {at['versions']['pyspark']}; "
        f"{at['threads']} threads on {machine.words(at)}; {at['date']}."
    )
