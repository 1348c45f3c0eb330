"""Windows beside the native engine Comet, on the Spark minor of its jar, in one run: Spark, each engine, and both."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))

import click
from queries import QUERIES, write
from shared import machine, markdown, minors, options, spark
from shared import results as stored
from shared.engines import THREADS
from shared.results import Results
from shared.spark import SLIDEWISE, SPARK
from shared.turns import in_turns, spread

ROOT = Path(__file__).resolve().parents[2]
MARKER = NAME = "native"
MINOR = "4.1"
COMET, BOTH = "Comet", "both"


class Engine(spark.Switched):
    """Spark with Slidewise, with Comet, with both or with none of them, by its name."""

    def frame(self, sql: str) -> Any:
        self.spark.conf.set("spark.slidewise.enabled", str(self.name in (SLIDEWISE, BOTH)).lower())
        self.spark.conf.set("spark.comet.enabled", str(self.name in (COMET, BOTH)).lower())
        return self.spark.sql(sql)


@click.command()
@minors.option
@click.option("--rows", type=click.IntRange(min=10_000), default=4_000_000, show_default=True)
@click.option("--only", multiple=True, type=click.Choice(list(QUERIES)), help="Time only these queries.")
@options.turns
@options.longest
@options.render
@options.docs
@options.cache
@options.results(f"{NAME}-{MINOR}")
def main(
    minor: str | None,
    rows: int,
    only: tuple[str, ...],
    turns: int,
    longest: float,
    render: bool,
    docs: bool,
    cache: Path,
    results: Path,
) -> None:
    """Checks that all engines give the same answers, times the queries in turns, and writes the results."""
    if minor is not None:
        minors.run_on(minor, NAME)
    if render:
        found = stored.read(results)
    elif ".".join(map(str, minors.of_pyspark())) != MINOR:
        raise click.UsageError(f"Comet's jar is for Spark {MINOR}: use `--minor {MINOR}`")
    else:
        found = measured(rows, only or tuple(QUERIES), turns, longest, cache)
        stored.write(results, found)
    made = table(found)
    click.echo(made)
    if docs:
        markdown.put(MARKER, made, ROOT / "docs/compatibility.md")


def measured(rows: int, names: tuple[str, ...], turns: int, longest: float, cache: Path) -> Results:
    import pyspark
    from deployment.native.comet import settings
    from maven import description_in, jars_of

    (comet,) = jars_of(description_in(ROOT / "tests/deployment/native")).glob("comet-*.jar")
    memory = {"spark.memory.offHeap.size": "4g", "spark.driver.memory": "5g"}
    session = spark.session("bench/native", THREADS, settings(comet, "slidewise,comet") | memory)
    engines = [Engine(session, name) for name in (SPARK, SLIDEWISE, COMET, BOTH)]
    session.read.parquet(str(write(session, rows, cache))).createOrReplaceTempView("all_rows")
    session.table("all_rows").where("id < 100000").createOrReplaceTempView("t")
    for name in names:
        check(engines, name)
    session.table("all_rows").createOrReplaceTempView("t")
    took = {}
    for name in names:
        for engine in engines[1:]:
            engine.run(QUERIES[name])
        took[name] = in_turns(engines, lambda _, name=name: QUERIES[name], turns, longest)
        click.echo(f"{name}: {took[name]}")
    session.stop()
    versions = {"pyspark": pyspark.__version__, "comet": comet.stem.rpartition("-")[2]}
    where = machine.where(MARKER) | {"threads": THREADS, "versions": versions, "turns": turns}
    return {"where": where, "rows": rows, "longest": longest, "seconds": took}


def check(engines: list[Engine], name: str) -> None:
    """Sums of numbers do not depend on their order here, so that answers are equal to the bit."""
    summed = f"SELECT count(*), sum(hash(*)) FROM ({QUERIES[name]})"
    answers = {engine.name: tuple(engine.frame(summed).collect()[0]) for engine in engines}
    assert len(set(answers.values())) == 1, (name, answers)


def table(found: Results) -> str:
    longest = found["longest"]
    rows = markdown.head("window", SPARK, SLIDEWISE, COMET, "both", "both ÷ the better of the two")
    for name, took in found["seconds"].items():
        cells = [spread(took[engine], longest) for engine in (SPARK, SLIDEWISE, COMET, BOTH)]
        middle = {engine: statistics.median(took[engine]) for engine in (SLIDEWISE, COMET, BOTH) if took[engine]}
        best = min(middle.get(SLIDEWISE, longest), middle.get(COMET, longest))
        rows.append(markdown.row(name, *cells, f"{middle[BOTH] / best:.2f}" if BOTH in middle else "-"))
    at = found["where"]
    where = machine.whole_queries(f"{found['rows']:,} rows of 1,000 keys, from Parquet", at["turns"], at)
    return "\n".join([*rows, "", where])


if __name__ == "__main__":
    main()
