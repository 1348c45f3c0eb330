"""The TPC-DS queries that have window functions, with Slidewise on and off."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import queries
import record
from answers import compare
from shared import options
from shared import results as stored
from shared.spark import SLIDEWISE, SPARK, Switched, session
from shared.turns import in_turns

ROOT = Path(__file__).resolve().parents[2]
THREADS = 2


@click.command()
@click.option("--scale", type=click.FloatRange(min=0, min_open=True), default=1, show_default=True, help="Gigabytes.")
@click.option("--turns", type=click.IntRange(min=0), default=3, show_default=True, help="0 compares the answers only.")
@options.longest
@click.option("--only", type=int, multiple=True, help="Only the query of this number; prints and writes nothing.")
@options.render
@options.docs
@options.results("tpcds")
@click.option(
    "--data", type=click.Path(path_type=Path), help="For the tables, instead of a folder in .build/bench-data."
)
@click.option(
    "--generator",
    type=click.Path(path_type=Path),
    default=ROOT / ".venv-tpcds/bin/python",
    help="The Python that has the packages of bench/tpcds/requirements.txt.",
)
def main(
    scale: float,
    turns: int,
    longest: float,
    only: tuple[int, ...],
    render: bool,
    docs: bool,
    results: Path,
    data: Path | None,
    generator: Path,
) -> None:
    """Compares the answers with Slidewise on and off, times each query in turns, and writes the results."""
    if render:
        found = stored.read(results)
    else:
        folder = data or ROOT / f".build/bench-data/tpcds-scale={scale:g}"
        chosen = [q for q in queries.made(folder, scale, generator) if not only or q.number in only]
        measured = _measured(chosen, folder, turns, longest)
        if not turns:
            return
        found = record.of(measured, THREADS, {"scale": scale, "turns": turns, "longest": longest})
        click.echo("\n" + record.table(found))
    if only:
        return
    stored.write(results, found)
    if docs:
        record.render(found, ROOT / "docs/performance.md")


def _measured(chosen: list[queries.Query], folder: Path, turns: int, longest: float) -> list[dict[str, object]]:
    spark = session("bench/tpcds", THREADS)
    queries.register(spark, folder)
    engines = {name: Switched(spark, name) for name in (SLIDEWISE, SPARK)}
    found: list[dict[str, object]] = []
    start = time.perf_counter()
    for query in chosen:
        rows, left = compare(engines, query.number, query.unlimited)
        seconds = in_turns(list(engines.values()), lambda _, sql=query.sql: sql, turns, longest)
        found.append({"query": query.number, "rows": rows, "left": left, "seconds": seconds})
        click.echo(f"{time.perf_counter() - start:7.1f} s  query {query.number}: {rows:,} rows, {left} left; {seconds}")
    spark.stop()
    return found


if __name__ == "__main__":
    main()
