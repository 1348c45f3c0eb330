"""A mean written in Python over moving frames: Slidewise, pandas UDFs, and folding each frame as Spark 4.4 does."""

from __future__ import annotations

import os
import statistics
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
# The workers' Python is this one.
os.environ["PYSPARK_PYTHON"] = sys.executable

import click
import numpy as np
import pandas as pd
import pyarrow as pa
import pyspark
from aggregators import Mean, MeanInBatches
from shared import machine, markdown, options, spark
from shared import results as stored
from shared.engines import THREADS
from shared.results import Results
from shared.turns import drawn, ratio, seconds, spread
from worker import nanoseconds

import slidewise

ROOT = Path(__file__).resolve().parents[2]
MARKER = "aggregators"
FRAMES = [10, 100, 1_000, 10_000, 100_000]
ROWS, BATCHES, PANDAS, FOLD, SQL = "row by row", "in batches", "pandas UDF", "each frame folded", "`avg` of SQL"
FUNCTIONS = {ROWS: "py_mean", BATCHES: "py_mean_in_batches", PANDAS: "pandas_mean", FOLD: "py_mean", SQL: "avg"}


class Contender(spark.Switched):
    """A function over a frame, with Slidewise on; off for folding, which is Spark's own operator then."""

    def __init__(self, session: object, way: str, frame: int) -> None:
        super().__init__(session, spark.SPARK if way == FOLD else spark.SLIDEWISE)
        self.way, self.frame_length = way, frame
        self.sql = (
            f"SELECT id, {FUNCTIONS[way]}(x) OVER (ORDER BY id ROWS BETWEEN {frame - 1} PRECEDING AND CURRENT ROW) "
            "FROM numbers"
        )
        self.took: list[float] | None = []


@click.command()
@click.option("--rows", type=click.IntRange(min=1_000), default=200_000, show_default=True)
@options.turns
@options.longest
@options.render
@options.docs
@click.option("--alone", is_flag=True, help="Measure only what the Python worker takes, without Spark.")
@options.results(MARKER)
def main(rows: int, turns: int, longest: float, render: bool, docs: bool, alone: bool, results: Path) -> None:
    """Checks that all give the same answers, runs them in turns, and writes the results."""
    found = stored.read(results)
    if not render:
        found |= {} if alone else measured(rows, turns, longest)
        found |= {"worker": in_the_worker(turns)}
        stored.write(results, found)
    made = table(found)
    click.echo(made)
    if docs:
        markdown.put(MARKER, made, ROOT / "docs/python-aggregators.md")


def measured(rows: int, turns: int, longest: float) -> Results:
    session = spark.session("bench/aggregators", THREADS)
    session.sql(f"CACHE TABLE numbers AS SELECT id, cast(hash(id) % 1000 AS double) AS x FROM range(0, {rows}, 1, 1)")
    slidewise.register(session, FUNCTIONS[ROWS], Mean())
    slidewise.register(session, FUNCTIONS[BATCHES], MeanInBatches())
    session.udf.register(FUNCTIONS[PANDAS], pandas_mean())
    contenders = [Contender(session, way, frame) for frame in FRAMES for way in FUNCTIONS]
    check(contenders)
    for turn, one in drawn(contenders, turns + 1):
        if one.took is not None:
            second = seconds(one, one.sql, longest)
            click.echo(f"{one.way}, {one.frame_length} rows: {second or longest:.2f} s")
            # The first turn warms up.
            one.took = None if second is None else [*one.took, *([round(second, 4)] if turn else [])]
    session.stop()
    return {
        "where": where(turns),
        "rows": rows,
        "longest": longest,
        "seconds": {way: {str(c.frame_length): c.took for c in contenders if c.way == way} for way in FUNCTIONS},
    }


def where(turns: int) -> Results:
    versions = {library.__name__: library.__version__ for library in (pyspark, np, pa, pd)}
    return machine.where(MARKER) | {"threads": THREADS, "versions": versions, "turns": turns}


def in_the_worker(turns: int) -> Results:
    """Nanoseconds a row of each turn, by the form and the length of the frame."""
    forms = {ROWS: (Mean(), 200_000), BATCHES: (MeanInBatches(), 2_000_000)}
    found: Results = {way: {str(frame): [] for frame in FRAMES} for way in forms}
    for turn, (way, frame) in drawn([(way, frame) for way in forms for frame in FRAMES], turns + 1):
        took = nanoseconds(*forms[way], frame)
        if turn:
            found[way][str(frame)].append(took)
    return {"where": where(turns), "nanoseconds": found}


def pandas_mean() -> object:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def pandas_mean(x: pd.Series) -> float:
        return x.mean()

    return pandas_mean


def check(contenders: list[Contender]) -> None:
    shortest = [one for one in contenders if one.frame_length == FRAMES[0]]
    sums = {
        one.way: one.frame(f"SELECT sum(m) FROM ({one.sql}) AS q(id, m) WHERE id < 2000").first()[0] for one in shortest
    }
    assert max(sums.values()) - min(sums.values()) < 1e-6, sums


def table(found: Results) -> str:
    longest, by_way = found["longest"], found["seconds"]
    rows = markdown.head("rows in the frame", *FUNCTIONS)
    for frame in by_way[ROWS]:
        cells = [spread(by_way[way][frame], longest) for way in FUNCTIONS]
        rows.append(markdown.row(f"{int(frame):,}", *cells))
    rows += ["", *markdown.head("rows in the frame", *(f"{way}, divided by" for way in (ROWS, BATCHES)))]
    for frame in by_way[ROWS]:
        for other in (PANDAS, FOLD):
            divided = [ratio(by_way[other][frame], by_way[way][frame], longest) for way in (ROWS, BATCHES)]
            rows.append(markdown.row(f"{int(frame):,}, {other}", *divided))
    rows += ["", *measured_where(found.get("where"), f"{found['rows']:,} rows. ")]
    alone = found["worker"]
    rows += ["", *markdown.head("rows in the frame", *(f"{way}, in the worker alone" for way in alone["nanoseconds"]))]
    for frame in by_way[ROWS]:
        rows.append(markdown.row(f"{int(frame):,}", *(nanos(took[frame]) for took in alone["nanoseconds"].values())))
    return "\n".join([*rows, "", *measured_where(alone["where"], "")])


def measured_where(at: Results | None, what: str) -> list[str]:
    """A line; none for figures that were measured before it was kept."""
    if at is None:
        return []
    return [f"{what}Median (least to most) of {at['turns']} turns. {machine.measured_on(at)}"]


def nanos(took: list[float]) -> str:
    return f"{statistics.median(took):,.0f} ns ({min(took):,.0f} to {max(took):,.0f}) a row"


if __name__ == "__main__":
    main()
