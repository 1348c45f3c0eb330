"""Windows whose rows several tasks share, against the same in one task: seconds, and CPU time of each task."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import data
import large as large_frame
import record
import tables
from measuring import MIN_ROWS, Contender, Effort, Tell, compare, measure, run
from queries import LARGE, QUERIES, Query
from shared import options, spark
from shared import results as stored
from shared.engines import THREADS
from shared.events import EventLog
from shared.results import Results

ROOT = Path(__file__).resolve().parents[2]
MILLION = 1_000_000
_MANY = 200 * MILLION
_GROWTH = 20
_SKEWED_TASKS = 4
"""Fewer do not share a skewed partition: they would gain nothing."""


@click.command()
@click.option(
    "--rows",
    type=click.IntRange(min=1_000),
    help="[default: 500,000 for each task; 200 million for the options below]",
)
@click.option(
    "--checked", type=click.IntRange(min=1_000), default=50_000, show_default=True, help="Rows to compare on."
)
@click.option(
    "--tasks",
    type=click.IntRange(min=2),
    multiple=True,
    default=[2, 8, 32],
    show_default=True,
    help="How many tasks share the rows; once for each number.",
)
@click.option(
    "--reads", type=click.IntRange(min=1), help="How many tasks read the file.  [default: as many as share the rows]"
)
@options.turns
@click.option("--only", multiple=True, help="Only windows whose name has this in it.")
@click.option("--growth", is_flag=True, help="Measure the growth from a twentieth of the rows to all of them: long.")
@click.option("--large", is_flag=True, help="Run a frame of a million rows with 1 GiB of heap for each task: long.")
@options.render
@options.docs
@options.results("scale")
@options.cache
def main(
    rows: int | None,
    checked: int,
    tasks: tuple[int, ...],
    reads: int | None,
    turns: int,
    only: tuple[str, ...],
    growth: bool,
    large: bool,
    render: bool,
    docs: bool,
    results: Path,
    cache: Path,
) -> None:
    """Checks that one task and several give the same answers, runs both in turns, and writes the results."""
    found = stored.read(results)
    if not render:
        effort = Effort(rows, checked, [*tasks], reads, turns)
        chosen = [query for query in QUERIES if not only or any(part in query.name for part in only)]
        if large:
            measured = _large(effort, rows or _MANY, cache)
        elif growth:
            measured = _growth(effort, rows or _MANY, [query for query in chosen if not query.skewed], cache)
        else:
            measured = _tasks(effort, chosen, cache)
        for name, group in measured:
            found = record.with_group(found, name, group)
            stored.write(results, found)
    for table in tables.of(found).values():
        click.echo("\n" + table)
    if docs:
        tables.render(found, ROOT / "docs/scale.md")


Groups = Iterator[tuple[str, Results]]


def _tasks(effort: Effort, queries: list[Query], cache: Path) -> Groups:
    tell, (session, log) = _teller(), _session({})

    def contenders(rows: int | None, numbers: list[int]) -> list[Contender]:
        return [
            _contender(effort, cache, query, rows or tasks * MIN_ROWS, order, tasks, parallel)
            for query in queries
            for order in data.ORDERS
            for tasks in numbers
            if not query.skewed or tasks >= _SKEWED_TASKS
            for parallel in (False, True)
        ]

    compare(session, contenders(effort.checked, [max(effort.tasks)]), tell)
    for group in _turns(session, log, contenders(effort.rows, effort.tasks), effort.turns, tell):
        yield record.TASKS, group
    session.stop()


def _growth(effort: Effort, most: int, queries: list[Query], cache: Path) -> Groups:
    tell, (session, log) = _teller(), _session({})
    contenders = [
        _contender(effort, cache, query, rows, data.AT_RANDOM, max(effort.tasks), parallel=True)
        for query in queries
        for rows in (most // _GROWTH, most)
    ]
    few = [one for one in contenders if one.rows < most]
    for group in _turns(session, log, contenders, effort.turns, tell, warm=few):
        yield record.GROWTH, group
    session.stop()


def _large(effort: Effort, rows: int, cache: Path) -> Groups:
    heap = large_frame.HEAP_A_TASK * THREADS
    tell, (session, log) = _teller(), _session({"spark.driver.memory": f"{heap}g"})
    tasks = max(effort.tasks)
    one = _contender(effort, cache, LARGE, rows, data.AT_RANDOM, tasks, parallel=True)
    one.runs.append(run(session, log, one))
    tell(f"{one.words}: {one.runs[-1].seconds:.0f} s")
    yield record.LARGE, large_frame.measured(one)
    session.stop()


def _contender(
    effort: Effort, cache: Path, query: Query, rows: int, order: str, tasks: int, parallel: bool
) -> Contender:
    return Contender(query, rows, order, data.table(rows, order, cache), tasks, effort.reads or tasks, parallel)


def _turns(
    session: Any,
    log: EventLog,
    contenders: list[Contender],
    turns: int,
    tell: Tell,
    warm: list[Contender] | None = None,
) -> Iterator[Results]:
    """After a turn that is not counted, what has been measured after each."""
    for one in contenders if warm is None else warm:
        run(session, log, one)
    tell("warm")
    for _ in measure(session, log, contenders, turns, tell):
        yield record.group(contenders)


def _session(settings: dict[str, str]) -> tuple[Any, EventLog]:
    log = EventLog()
    usual = {"spark.sql.session.timeZone": "UTC"}
    return spark.session("bench/scale", THREADS, usual | log.settings() | settings), log


def _teller() -> Tell:
    start = time.perf_counter()

    def tell(what: str) -> None:
        click.echo(f"{time.perf_counter() - start:7.1f} s  {what}")

    return tell


if __name__ == "__main__":
    main()
