"""Hopping windows in GROUP BY with Slidewise on and off, beside DuckDB, in one run."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import record
from data import table
from flink import FLINK, Flink, is_installed
from measuring import Effort, Engines, compare, measure
from queries import QUERIES, TUMBLING
from shared import options, spark
from shared import results as stored
from shared.engines import DUCKDB, THREADS, DuckDB, Spark
from shared.spark import SLIDEWISE, SPARK

ROOT = Path(__file__).resolve().parents[2]


@click.command()
@click.option("--rows", type=click.IntRange(min=1_000), default=4_000_000, show_default=True)
@click.option("--checked", type=click.IntRange(min=1_000), default=5_000, show_default=True, help="Rows to compare on.")
@options.turns
@options.longest
@click.option("--only", multiple=True, help="Only queries whose name has this in it, and the tumbling windows.")
@options.render
@options.docs
@options.results("hopping")
@options.cache
def main(
    rows: int,
    checked: int,
    turns: int,
    longest: float,
    only: tuple[str, ...],
    render: bool,
    docs: bool,
    results: Path,
    cache: Path,
) -> None:
    """Checks that the engines agree, times the queries in turns, and writes the results."""
    if not render:
        _run(Effort(rows, checked, turns, longest), only, results, cache)
    found = stored.read(results)
    click.echo("\n" + record.table(found))
    if docs:
        record.render(found, ROOT / "docs/hopping.md")


def _run(effort: Effort, only: tuple[str, ...], results: Path, cache: Path) -> None:
    start = time.perf_counter()

    def tell(what: str) -> None:
        click.echo(f"{time.perf_counter() - start:7.1f} s  {what}")

    session = spark.session("bench/hopping", THREADS, {"spark.sql.session.timeZone": "UTC"})
    # Spark logs the stack of each task that is stopped.
    session.sparkContext.setLogLevel("OFF")
    engines: Engines = {
        SLIDEWISE: Spark(session, SLIDEWISE),
        SPARK: Spark(session, SPARK),
        DUCKDB: DuckDB(),
    }
    if is_installed():
        engines[FLINK] = Flink(table(effort.rows, cache), table(effort.checked, cache))
    chosen = [q for q in QUERIES if not only or q.name == TUMBLING or any(part in q.name for part in only)]
    compare(chosen, engines, table(effort.checked, cache), tell)
    for seconds in measure(chosen, engines, lambda rows: table(rows, cache), effort, tell):
        stored.write(results, record.of(seconds, effort))
    for engine in engines.values():
        if isinstance(engine, Flink):
            engine.close()
    session.stop()


if __name__ == "__main__":
    main()
