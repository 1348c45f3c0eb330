"""Windows of the pandas API on Spark, with Slidewise on and off, in one run."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import numpy as np
import pandas as pd
import pyspark
from shared import machine, markdown, options, spark
from shared import results as stored
from shared.engines import THREADS
from shared.results import Results
from shared.turns import in_turns, ratio, spread

ROOT = Path(__file__).resolve().parents[2]
MARKER = "pandas_api"
KEYS = 8
METHODS: dict[str, Callable[[Any], Any]] = {
    "x.rolling(1000).mean()": lambda f: f.x.rolling(1000).mean(),
    "x.expanding().sum()": lambda f: f.x.expanding().sum(),
    "x.shift(1)": lambda f: f.x.shift(1),
    "x.diff()": lambda f: f.x.diff(),
    "x.rank()": lambda f: f.x.rank(),
    "x.cumsum()": lambda f: f.x.cumsum(),
    "x.ewm(alpha=0.1).mean()": lambda f: f.x.ewm(alpha=0.1).mean(),
    "groupby(k).x.rolling(1000).mean()": lambda f: f.groupby("k").x.rolling(1000).mean(),
    "groupby(k).x.cumsum()": lambda f: f.groupby("k").x.cumsum(),
}


class PandasApi(spark.Switched):
    """Runs a method, by its name, over a frame, with Slidewise on or off."""

    def __init__(self, session: Any, name: str, rows: int) -> None:
        super().__init__(session, name)
        self.rows = rows

    def frame(self, sql: str) -> Any:
        import pyspark.pandas as ps

        self.spark.conf.set("spark.slidewise.enabled", str(self.name == spark.SLIDEWISE).lower())
        frame = ps.range(self.rows, num_partitions=2 * THREADS)
        frame["x"] = (frame.id * 7919 % 1000) / 8
        frame["k"] = frame.id % KEYS
        return METHODS[sql](frame).to_frame().to_spark()


@click.command()
@click.option("--rows", type=click.IntRange(min=10_000), default=10_000_000, show_default=True)
@click.option(
    "--checked", type=click.IntRange(min=1_000), default=20_000, show_default=True, help="Rows to compare on."
)
@options.turns
@options.longest
@options.render
@options.docs
@options.results(MARKER)
def main(rows: int, checked: int, turns: int, longest: float, render: bool, docs: bool, results: Path) -> None:
    """Checks that the answers are those of pandas, times the methods in turns, and writes the results."""
    # pyspark.pandas warns that windows without keys are slow, which is what is measured here.
    warnings.simplefilter("ignore")
    os.environ["PYARROW_IGNORE_TIMEZONE"] = "1"
    found = stored.read(results)
    if not render:
        found = measured(rows, checked, turns, longest)
        stored.write(results, found)
    made = table(found)
    click.echo(made)
    if docs:
        markdown.put(MARKER, made, ROOT / "docs/scale.md")


def measured(rows: int, checked: int, turns: int, longest: float) -> Results:
    session = spark.session("bench/pandas_api", THREADS)
    import pyspark.pandas as ps

    # The default one runs a job of its own, which is not what is measured.
    ps.set_option("compute.default_index_type", "distributed")
    check(PandasApi(session, spark.SLIDEWISE, checked))
    engines = [PandasApi(session, name, rows) for name in (spark.SLIDEWISE, spark.SPARK)]
    took, taken = {}, {}
    for method in METHODS:
        taken[method] = sorted(spark.operators(spark.plan(engines[0].frame(method))))
        for engine in engines:
            PandasApi(session, engine.name, checked).run(method)
        took[method] = in_turns(engines, lambda _, method=method: method, turns, longest)
        click.echo(f"{method}: {taken[method]} {took[method]}")
    session.stop()
    versions = {library.__name__: library.__version__ for library in (pyspark, np, pd)}
    where = machine.where(MARKER) | {"threads": THREADS, "versions": versions, "turns": turns}
    return {"where": where, "rows": rows, "longest": longest, "seconds": took, "operators": taken}


def check(engine: PandasApi) -> None:
    local = pd.DataFrame({"id": np.arange(engine.rows)})
    local["x"], local["k"] = local.id * 7919 % 1000 / 8, local.id % KEYS
    for name, method in METHODS.items():
        expected = np.sort(method(local).to_numpy(dtype=float))
        answers = np.sort(engine.frame(name).toPandas().iloc[:, -1].to_numpy(dtype=float))
        assert np.allclose(answers, expected, equal_nan=True), name


def table(found: Results) -> str:
    longest = found["longest"]
    rows = markdown.head("method", "Slidewise", "Spark", "Spark ÷ Slidewise", "on Slidewise")
    for method, took in found["seconds"].items():
        on, off = took[spark.SLIDEWISE], took[spark.SPARK]
        cells = (spread(on, longest), spread(off, longest), ratio(off, on, longest))
        rows.append(markdown.row(f"`{method}`", *cells, "yes" if found["operators"][method] else "no"))
    at = found["where"]
    where = machine.whole_queries(f"{found['rows']:,} rows, {KEYS} keys", at["turns"], at)
    return "\n".join([*rows, "", where])


if __name__ == "__main__":
    main()
