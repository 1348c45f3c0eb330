"""The SQL functions over moving frames, beside Spark's own operator and what users write today; and what they keep."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import pyspark
import record
import state
import timing
from calls import CALLS
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from shared import machine
from shared import results as stored
from udfs import UDFS

ROOT = Path(__file__).resolve().parents[2]
FRAMES = (10, 1_000, 100_000)


def session() -> SparkSession:
    sys.path.insert(0, str(ROOT / "tests"))
    from session import with_slidewise

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[1]").config("spark.driver.memory", "3g")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    spark = with_slidewise(builder.config("spark.sql.adaptive.enabled", "false")).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.sparkContext.addPyFile(str(Path(__file__).with_name("udfs.py")))
    for udf in UDFS:
        spark.udf.register(udf.__name__, F.pandas_udf(udf, "double"))
    return spark


@click.command()
@click.option(
    "--frame", "frames", type=int, multiple=True, help="Only frames of so many rows; the others' figures stay."
)
@click.option("--limit", default=3.0, help="Seconds that one query may take.")
@click.option("--turns", default=3, help="How often each query is run.")
@click.option("--only", multiple=True, help="Only functions whose call has this in it; the others' figures stay.")
@click.option("--render", is_flag=True, help="Measure nothing: make the tables from the results.")
@click.option("--docs/--no-docs", default=True, help="Whether to write the tables into the docs.")
@click.option("--results", type=click.Path(path_type=Path), default=ROOT / "bench/results/functions.json")
def main(
    frames: tuple[int, ...],
    limit: float,
    turns: int,
    only: tuple[str, ...],
    render: bool,
    docs: bool,
    results: Path,
) -> None:
    """Measures each function at each length of frame, and the bytes that the approximate ones keep."""
    found = stored.read(results)
    if not render:
        spark = session()
        where = machine.where("full") | {"pyspark": pyspark.__version__, "limit": limit, "turns": turns}
        chosen = [call for call in CALLS if not only or any(part in call.ours for part in only)]
        bench = timing.Bench(spark, limit, turns, click.echo)
        timings = bench.measured(chosen, frames or FRAMES)
        found = record.merged(found, where, timings, state.measured(spark))
        stored.write(results, found)
        spark.stop()
    if docs:
        record.render(found, ROOT / "docs/functions-cost.md")


if __name__ == "__main__":
    main()
