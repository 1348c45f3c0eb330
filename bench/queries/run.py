"""Whole queries with Slidewise on and off, beside Spark's segment tree and other engines, in one run."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import cases
import click
import engines
import measuring
import multisets
import phases
import picture
import record
import shapes
import tables
import tables_minors
from cases import Case, Frame
from measuring import Effort
from shared import minors

ROOT = Path(__file__).resolve().parents[2]
EFFORTS = {"short": Effort(repetitions=3, longest=15), "full": Effort(repetitions=5, longest=120)}
MILLION = 1_000_000


def groups(form: str, rows: int) -> dict[str, list[list[Case]]]:
    """By name: lists of cases that are run in turns with each other."""
    grid = [(a, f) for f in (Frame.ROWS, Frame.RANGE) for a in cases.AGGREGATES]
    if form == "short":
        grid = [("sum", Frame.ROWS), ("max", Frame.ROWS), ("sum", Frame.RANGE)]
    by_length = (cases.lengths(aggregate, frame, rows) for aggregate, frame in grid)
    chosen = {cases.HEADLINE: [[case] for case in cases.headline(rows)]}
    chosen |= {group[0].group: [group] for group in by_length}
    chosen |= {cases.SHAPES: [[case] for case in shapes.shapes(rows)], cases.PHASES: []}
    chosen |= {cases.MULTISETS: multisets.multisets(min(rows, MILLION))}
    if form == "full":
        chosen |= {cases.FUNCTIONS: [[case] for case in cases.functions(min(rows, 100_000))]}
    running = minors.of_pyspark()
    return {
        name: [able for some in in_turns if (able := [case for case in some if case.since <= running])]
        for name, in_turns in chosen.items()
    }


@click.command()
@click.option("--short", "form", flag_value="short", default="short", help="Some minutes, on a million rows (default).")
@click.option("--full", "form", flag_value="full", help="Hours: four million rows, every aggregate, and sketches.")
@click.option("--rows", type=click.IntRange(min=20_000), help="Rows of the table, instead of the form's own.")
@click.option("--only", multiple=True, help="Only this group of the form; more than one are run in turn.")
@click.option(
    "--longest",
    type=click.FloatRange(min=0, min_open=True),
    help="Seconds that one query may take, instead of the form's own.",
)
@click.option("--repetitions", type=click.IntRange(min=1), help="Turns, instead of the form's own.")
@click.option("--render", is_flag=True, help="Measure nothing: make the tables and the picture from the results.")
@minors.option
@click.option("--others/--no-others", default=True, help="Whether engines other than Spark take part.")
@click.option("--docs/--no-docs", default=True, help="Whether to write the tables and the picture into the docs.")
@click.option("--results", type=click.Path(path_type=Path), default=ROOT / "bench/results/queries.json")
@click.option("--cache", type=click.Path(path_type=Path), default=ROOT / ".build/bench-data", help="For the data.")
def main(
    form: str,
    rows: int | None,
    only: tuple[str, ...],
    longest: float | None,
    repetitions: int | None,
    render: bool,
    minor: str | None,
    others: bool,
    docs: bool,
    results: Path,
    cache: Path,
) -> None:
    """Measures whole queries, checks that all answers are the same, and writes what it found."""
    if minor is not None:
        minors.run_on(minor, tables_minors.NAME, "--no-others")
    rows = rows or (4 * MILLION if form == "full" else MILLION)
    chosen = groups(form, rows)
    unknown = [name for name in only if name not in chosen]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is not among {', '.join(chosen)}", param_hint="--only")
    found = record.read(results)
    if not render:
        usual = EFFORTS[form]
        effort = Effort(repetitions or usual.repetitions, longest or usual.longest)
        for group in measured({name: chosen[name] for name in only or chosen}, form, rows, effort, cache, others):
            found[group.name] = group
            record.write(results, found)
            click.echo("\n" + tables.of(group) + "\n")
    if docs:
        tables.render(found, ROOT)
        tables_minors.render(ROOT)
        picture.draw(found, ROOT / "docs/img/window-length.png")


def measured(
    chosen: dict[str, list[list[Case]]], form: str, rows: int, effort: Effort, cache: Path, others: bool
) -> Iterator[record.Group]:
    from spark_engines import session

    spark = session()
    everyone = engines.of_spark(spark, cache) + (engines.others(cache) if others else [])
    start = time.perf_counter()

    def tell(what: str) -> None:
        click.echo(f"{time.perf_counter() - start:7.1f} s  {what}")

    measuring.warm_up(cases.lengths("sum", Frame.ROWS, rows)[1], everyone, MILLION // 10)
    for name, in_turns in chosen.items():
        if name == cases.PHASES:
            yield record.Group(name, record.where(form), phases.measured(spark, everyone, rows, effort, tell), [])
            continue
        results = [measuring.measure(some, everyone, effort, tell) for some in in_turns]
        yield record.Group(
            name, record.where(form), [m for ms, _ in results for m in ms], [n for _, ns in results for n in ns]
        )
    spark.stop()


if __name__ == "__main__":
    main()
