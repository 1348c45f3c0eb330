"""Window functions without a moving frame over tables of many shapes, with Slidewise on and off, in one run."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import pyspark
import tables
from shared import machine, markdown, options, spark
from shared import results as stored
from shared.engines import THREADS
from shared.results import Results
from shared.turns import in_turns, ratio
from tables import TABLES

ROOT = Path(__file__).resolve().parents[2]
MARKER = "window_functions"

ROW_NUMBER = "row_number() OVER ({keys} {order}) AS a"
QUERIES = {
    "`row_number()`": f"SELECT *, {ROW_NUMBER} FROM {{table}}",
    "`lag(x)`": "SELECT *, lag(x) OVER ({keys} {order}) AS a FROM {table}",
    "running `sum(x)`": "SELECT *, sum(x) OVER ({keys} {order}) AS a FROM {table}",
    "`avg(x)` of the partition": "SELECT *, avg(x) OVER ({keys}) AS a FROM {table}",
    "first two rows": f"SELECT * FROM (SELECT *, {ROW_NUMBER} FROM {{table}}) WHERE a <= 2",
}
"""By what they ask for, the queries over a table."""


class DisagreementError(Exception):
    pass


@click.command()
@click.option("--rows", type=click.IntRange(min=10_000), default=1_000_000, show_default=True)
@options.turns
@options.longest
@options.render
@options.docs
@options.results(MARKER)
def main(rows: int, turns: int, longest: float, render: bool, docs: bool, results: Path) -> None:
    """Checks that the answers agree, times the queries in turns, and writes the results."""
    found = stored.read(results)
    if not render:
        found = measured(rows, turns, longest)
        stored.write(results, found)
    made = rendered(found)
    click.echo(made)
    if docs:
        markdown.put(MARKER, made, ROOT / "docs/performance.md")


def measured(rows: int, turns: int, longest: float) -> Results:
    seconds: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-tables-") as scratch:
        session = spark.session("bench/window_functions", THREADS, {"spark.sql.warehouse.dir": scratch})
        engines = [spark.Switched(session, name) for name in (spark.SLIDEWISE, spark.SPARK)]
        for table in TABLES:
            tables.write(session, table, rows)
            for key, value in table.settings.items():
                session.conf.set(key, value)
            seconds[table.name] = {}
            for asked, query in QUERIES.items():
                sql = query.format(table=table.identifier, keys=table.partition, order=table.ordering)
                check(engines, sql)
                taken = sorted(spark.operators(spark.plan(engines[0].frame(sql))))
                for engine in engines:
                    engine.run(sql)
                took = in_turns(engines, lambda _, sql=sql: sql, turns * table.turns, longest)
                seconds[table.name][asked] = took | {"operators": taken}
                click.echo(f"{table.name}: {asked}: {seconds[table.name][asked]}")
            for key in table.settings:
                session.conf.unset(key)
            session.sql(f"DROP TABLE {table.identifier}")
        session.stop()
    where = machine.where(MARKER) | {
        "threads": THREADS,
        "versions": {pyspark.__name__: pyspark.__version__},
        "turns": turns,
    }
    return {"where": where, "rows": rows, "longest": longest, "seconds": seconds}


def check(engines: list[spark.Switched], sql: str) -> None:
    digest = f"SELECT count(*), sum(hash(ts, a)) FROM ({sql})"
    answers = {engine.name: engine.frame(digest).collect() for engine in engines}
    if answers[spark.SLIDEWISE] != answers[spark.SPARK]:
        raise DisagreementError(f"{sql}: {answers}")


def rendered(found: Results) -> str:
    lines = markdown.head("table", *QUERIES)
    lines += [
        markdown.row(table, *(cell(asked[query], found["longest"]) for query in QUERIES))
        for table, asked in found["seconds"].items()
    ]
    at = found["where"]
    where = f"{found['rows']:,} rows. Whole queries: medians of {at['turns']} turns or more. {machine.measured_on(at)}"
    return "\n".join([*lines, "", where])


def cell(took: dict[str, Any], longest: float) -> str:
    """The medians of Spark and of Slidewise, and what the second is of the first in the same turns."""
    on, off = took[spark.SLIDEWISE], took[spark.SPARK]
    medians = " → ".join(f"over {longest:.0f}" if one is None else f"{statistics.median(one):.2f}" for one in (off, on))
    left = "" if took["operators"] else ", left to Spark"
    return f"{medians} s" if off is None or on is None else f"{medians} s ({ratio(on, off, longest)}{left})"


if __name__ == "__main__":
    main()
