"""Windows over streams: rows a second, time a batch and a row, beside floors and what is written today, in one run."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import data
import record
import tables
import tables_minors
from cases import EACH_MINOR, FEW, GROUPS, ROW_TIMES, TIMED, Group
from shared import minors

ROOT = Path(__file__).resolve().parents[2]
MILLION = 1_000_000
PARTS = [*tables.NAMES, EACH_MINOR.name]


@click.command()
@click.option("--rows", type=click.IntRange(min=20_000), default=MILLION, show_default=True, help="Rows of the stream.")
@click.option("--files", type=click.IntRange(min=1), default=4, show_default=True, help="And its batches.")
@click.option("--turns", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--only", multiple=True, type=click.Choice(PARTS), help="Only this part; repeatable.")
@minors.option
@click.option("--check/--no-check", default=True, help="Whether answers are compared with the batch query's.")
@click.option("--render", is_flag=True, help="Measure nothing: make the tables from the results.")
@click.option("--docs/--no-docs", default=True, help="Whether to write the tables into the docs.")
@click.option("--results", type=click.Path(path_type=Path), default=ROOT / "bench/results/streams.json")
@click.option("--cache", type=click.Path(path_type=Path), default=ROOT / ".build/bench-data", help="For the data.")
def main(
    rows: int,
    files: int,
    turns: int,
    only: tuple[str, ...],
    minor: str | None,
    check: bool,
    render: bool,
    docs: bool,
    results: Path,
    cache: Path,
) -> None:
    """Measures windows over streams, checks their answers, and writes what it found."""
    if minor is not None:
        minors.run_on(minor, tables_minors.NAME, "--only", EACH_MINOR.name)
    found = record.read(results)
    if not render:
        for name in only or tables.NAMES:
            measured = _measured(name, rows, files, turns, check, cache)
            found[name] = measured
            record.write(results, found)
            click.echo(f"\n{name}\n\n{tables.of(measured)}\n")
    if docs:
        tables.render(found, ROOT)
        tables_minors.render(ROOT)


def _measured(name: str, rows: int, files: int, turns: int, check: bool, cache: Path) -> record.Record:
    from measuring import Runner, session
    from variants import Streams

    spark = session(ROOT / ".build/bench-streams.jar")
    begin = time.perf_counter()

    def tell(what: str) -> None:
        click.echo(f"{time.perf_counter() - begin:7.1f} s  {what}")

    made = record.Record(name, record.where(files))
    with tempfile.TemporaryDirectory(prefix="bench-streams-") as scratch:
        runner = Runner(spark, Path(scratch), tell)
        if name == ROW_TIMES:
            streams = Streams(spark, data.stream(FEW, rows, files, cache))
            made.row_times = [runner.row_times(case, streams, turns) for case in (*TIMED, None)]
        else:
            group: Group = next(group for group in (*GROUPS, EACH_MINOR) if group.name == name)
            few = rows // group.part
            streams = Streams(spark, data.stream(group.keys, few, files, cache))
            made.measurements = runner.measure(group, streams, few, turns, check)
    return made


if __name__ == "__main__":
    main()
