"""Refreshes stored results after a change of two years of events, beside computing them anew, in one run."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import data
import record
from cases import CASES, Case
from shared import options, spark, turns
from shared import results as stored
from shared.engines import THREADS
from shared.events import EventLog

import slidewise

ROOT = Path(__file__).resolve().parents[2]
REFRESH, WHOLE = "refresh", "whole query"
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    # Hadoop does not count the bytes of vectored reads.
    "spark.hadoop.parquet.hadoop.vectored.io.enabled": "false",
}


class Refresher:
    """Brings the stored result of a case up to date, by a refresh or by the whole query."""

    def __init__(self, session: Any, name: str, case: Case, tables: data.Tables, log: EventLog) -> None:
        self.name, self._session, self._case, self._tables, self._log = name, session, case, tables, log
        self.target = f"parquet.`{tables.work}`"

    def prepare(self) -> None:
        self._tables.restore()
        self._session.read.parquet(str(self._tables.events)).createOrReplaceTempView("events")
        self._log.since_last(self._session, "SparkListenerTaskEnd")

    def refresh(self) -> slidewise.Refresh:
        changes = self._session.read.parquet(str(self._tables.changes))
        return slidewise.Refresh(
            self._session.sql(self._case.query),
            self.target,
            keys="id",
            changes={"events": changes},
            generated={"day": "CAST(ts AS DATE)"},
        )

    def run(self, sql: str) -> None:
        if self.name == REFRESH:
            done = self.refresh().run()
            if done.whole or not done.inserted:
                raise RuntimeError(f"{self._case.name}: {done}")
        else:
            data.write(self._session, self._case, self._tables.work)

    def cancel(self) -> None:
        self._session.sparkContext.cancelAllJobs()

    def cost(self) -> dict[str, float]:
        """CPU seconds of tasks, and bytes that they read from files and wrote to them, since `prepare`."""
        found = {"cpu": 0.0, "read": 0.0, "written": 0.0}
        for event in self._log.since_last(self._session, "SparkListenerTaskEnd"):
            metrics = event["Task Metrics"]
            found["cpu"] += metrics["Executor CPU Time"] / 1e9
            found["read"] += metrics["Input Metrics"]["Bytes Read"]
            found["written"] += metrics["Output Metrics"]["Bytes Written"]
        return found


@click.command()
@click.option("--rows", type=click.IntRange(min=73_000), default=10_000_000, show_default=True, help="Of the table.")
@click.option("--keys", type=click.IntRange(min=1), default=50_000, show_default=True)
@click.option("--only", multiple=True, help="Only cases whose name has this in it; the others' figures stay.")
@options.turns
@options.longest
@options.render
@options.docs
@options.results("refresh")
@options.cache
def main(
    rows: int,
    keys: int,
    only: tuple[str, ...],
    turns: int,
    longest: float,
    render: bool,
    docs: bool,
    results: Path,
    cache: Path,
) -> None:
    """Checks that both ways give the same rows, measures each in turns, and writes the results."""
    found = stored.read(results)
    if not render:
        log = EventLog()
        session = spark.session("bench/refresh", THREADS, SETTINGS | log.settings())
        for case in CASES:
            if only and not any(part in case.name for part in only):
                continue
            tables = data.make(session, case, rows, keys, cache)
            found = record.merged(found, case, _measured(session, case, tables, log, turns, longest), rows, keys)
            stored.write(results, found)
        session.stop()
    click.echo("\n" + record.table(found))
    if docs:
        record.render(found, ROOT / "docs/refresh.md")


def _measured(
    session: Any, case: Case, tables: data.Tables, log: EventLog, count: int, longest: float
) -> dict[str, Any]:
    both = [Refresher(session, name, case, tables, log) for name in (REFRESH, WHOLE)]
    sums = []
    for one in both:  # also warms up
        one.prepare()
        one.run("")
        stored_rows = session.read.parquet(str(tables.work))
        sums.append(stored_rows.selectExpr("sum(hash(*))", "count(*)").collect())
    if sums[0] != sums[1]:
        raise RuntimeError(f"{case.name}: the refreshed result differs from the whole one: {sums}")
    both[0].prepare()
    plan = both[0].refresh().plan().head().asDict()
    runs: dict[str, list[dict[str, float]]] = {REFRESH: [], WHOLE: []}
    for _, one in turns.drawn(both, count):
        one.prepare()
        start = time.perf_counter()
        took = turns.seconds(one, "", longest)
        if took is None:
            raise RuntimeError(f"{case.name}, {one.name}: stopped after {time.perf_counter() - start:.0f} s")
        runs[one.name].append({"seconds": round(took, 3)} | one.cost())
        click.echo(f"{case.name}, {one.name}: {runs[one.name][-1]}")
    return {"runs": runs, "share": plan["share"], "rows_to_write": plan["rows_to_write"]}


if __name__ == "__main__":
    main()
