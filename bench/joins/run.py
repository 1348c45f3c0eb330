"""Aggregates of another table and as-of joins, on Slidewise, on Spark alone and on other engines, in one run."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import engines
import record
from cases import CASES, PEERS, Case
from measuring import Effort, compare, measure
from shared import options, spark
from shared import results as stored
from shared.engines import DUCKDB, THREADS
from shared.events import EventLog

ROOT = Path(__file__).resolve().parents[2]


@click.command()
@click.option(
    "--scale",
    type=click.FloatRange(min=0.001),
    default=1,
    show_default=True,
    help="Of the rows and the keys: 200,000 rows, 2 million events and 2,000 keys at 1.",
)
@click.option(
    "--checked", type=click.FloatRange(min=0.001), default=0.005, show_default=True, help="Scale to compare answers on."
)
@options.turns
@options.longest
@click.option("--only", multiple=True, help="Only cases whose name has this in it; the others' figures stay.")
@click.option("--peer", "peers", multiple=True, type=click.Choice(sorted(PEERS)), help="Run this library, too.")
@options.render
@options.docs
@options.results("joins")
@options.cache
def main(
    scale: float,
    checked: float,
    turns: int,
    longest: float,
    only: tuple[str, ...],
    peers: tuple[str, ...],
    render: bool,
    docs: bool,
    results: Path,
    cache: Path,
) -> None:
    """Checks that the engines agree, runs each case in turns, and writes the results."""
    found = stored.read(results)
    if not render:
        effort = Effort(scale, min(scale, checked), turns, longest)
        where = record.where()
        chosen = [case for case in CASES if not only or any(part in case.name for part in only)]
        for case, runs in _measured(effort, chosen, peers, cache):
            found = record.merged(found, case, runs, effort, where)
            stored.write(results, found)
    click.echo("\n" + record.table(found))
    if docs:
        record.render(found, ROOT / "docs/window-joins.md")


def _measured(
    effort: Effort, cases: list[Case], peers: tuple[str, ...], cache: Path
) -> Iterator[tuple[Case, dict[str, Any]]]:
    start = time.perf_counter()

    def tell(what: str) -> None:
        click.echo(f"{time.perf_counter() - start:7.1f} s  {what}")

    log = EventLog()
    settings = {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.join.asofJoin.enabled": "true",
    }
    session = spark.session("bench/joins", THREADS, settings | log.settings())
    # Spark logs the stack of each task that is stopped.
    session.sparkContext.setLogLevel("OFF")
    everyone = {name: engines.named(name, session, log) for name in (spark.SLIDEWISE, spark.SPARK, DUCKDB, *peers)}
    for case in cases:
        compare(case, everyone, effort, cache)
        tell(f"{case.name}: compared at scale {effort.checked:g}")
        yield case, measure(case, everyone, effort, cache, tell)
    session.stop()


if __name__ == "__main__":
    main()
