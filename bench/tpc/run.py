"""The queries of TPC-DS or TPC-H, with Slidewise on and off."""

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
@options.results("tpc")
@click.option("--benchmark", type=click.Choice(list(queries.WINDOWED)), default="tpcds", show_default=True)
@click.option("--all", "every", is_flag=True, help="Also the queries without window functions.")
@click.option(
    "--data", type=click.Path(path_type=Path), help="For the tables, instead of a folder in .build/bench-data."
)
@click.option(
    "--generator",
    type=click.Path(path_type=Path),
    default=ROOT / ".venv-tpc/bin/python",
    help="The Python that has the packages of bench/tpc/requirements.txt.",
)
def main(
    scale: float,
    turns: int,
    longest: float,
    only: tuple[int, ...],
    render: bool,
    docs: bool,
    results: Path,
    benchmark: str,
    every: bool,
    data: Path | None,
    generator: Path,
) -> None:
    """Compares the answers with Slidewise on and off, times each query in turns, and writes the results."""
    found = stored.read(results)
    if not render:
        folder = data or ROOT / f".build/bench-data/{benchmark}-scale={scale:g}"
        asked = queries.made(benchmark, folder, scale, generator)
        chosen = [query for query in asked if query.number in only or (not only and (every or query.windowed))]
        measured = _measured(chosen, folder, turns, longest)
        if not turns:
            return
        effort = {"scale": scale, "turns": turns, "longest": longest}
        # Each form of the benchmark keeps its own figures.
        form = f"{benchmark}{'-all' if every else ''}"
        found[form] = record.of(measured, THREADS, effort)
        click.echo("\n" + record.table(found[form]))
    if only:
        return
    stored.write(results, found)
    if docs:
        record.render(found, ROOT / "docs/performance.md")


def _measured(chosen: list[queries.Query], folder: Path, turns: int, longest: float) -> list[dict[str, object]]:
    spark = session("bench/tpc", THREADS)
    queries.register(spark, folder)
    engines = {name: Switched(spark, name) for name in (SLIDEWISE, SPARK)}
    found: list[dict[str, object]] = []
    start = time.perf_counter()
    for query in chosen:
        rows, left = compare(engines, query)
        seconds = in_turns(list(engines.values()), lambda _, sql=query.sql: sql, turns, longest)
        found.append({"query": query.number, "rows": rows, "left": left, "seconds": seconds})
        click.echo(f"{time.perf_counter() - start:7.1f} s  query {query.number}: {rows:,} rows, {left} left; {seconds}")
    spark.stop()
    return found


if __name__ == "__main__":
    main()
