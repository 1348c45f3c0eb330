"""The h2o window queries with Slidewise on and off, beside DuckDB and DataFusion, in one run."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import engines
import record
from measuring import Effort, Measured, measure
from queries import QUERIES
from shared import options, spark
from shared import results as stored

ROOT = Path(__file__).resolve().parents[2]


@click.command()
@click.option("--rows", type=click.IntRange(min=1_000), default=10_000_000, show_default=True)
@options.turns
@options.longest
@click.option("--only", multiple=True, help="Only queries whose name has this in it; the others' figures stay.")
@options.render
@options.docs
@options.results("h2o")
@options.cache
def main(
    rows: int,
    turns: int,
    longest: float,
    only: tuple[str, ...],
    render: bool,
    docs: bool,
    results: Path,
    cache: Path,
) -> None:
    """Checks that the engines agree, times each query in turns, and writes the results."""
    found = stored.read(results)
    if not render:
        effort = Effort(rows, turns, longest)
        where = record.where()
        for measured in _measured(effort, only, cache):
            found = record.merged(found, measured, effort, where)
            stored.write(results, found)
        click.echo("\n" + record.table(found))
    if docs:
        record.render(found, ROOT / "docs/performance.md")


def _measured(effort: Effort, only: tuple[str, ...], cache: Path) -> Iterator[Measured]:
    start = time.perf_counter()

    def tell(what: str) -> None:
        click.echo(f"{time.perf_counter() - start:7.1f} s  {what}")

    session = spark.session("bench/h2o", engines.THREADS)
    # Spark logs the stack of each task that is stopped.
    session.sparkContext.setLogLevel("OFF")
    everyone = engines.installed(session)
    chosen = [query for query in QUERIES if not only or any(part in query.name for part in only)]
    for query in chosen:
        yield measure(query, everyone, effort, cache, tell)
    session.stop()


if __name__ == "__main__":
    main()
