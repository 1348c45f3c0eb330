"""The SQL functions over moving frames, beside Spark's own operator and what users write today; writes README.md."""

from __future__ import annotations

import datetime as dt
import os
import sys
import time
from pathlib import Path

import click
import pyspark
from calls import CALLS, UDFS, Call
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
README = Path(__file__).with_name("README.md")
FRAMES = (10, 1_000, 100_000)
OVER = "OVER (ORDER BY t ROWS BETWEEN {before} PRECEDING AND CURRENT ROW)"


class Measured:
    """Microseconds a row; where a frame would take longer than the limit, nothing."""

    def __init__(self, spark: SparkSession, rows: int, limit: float) -> None:
        self.spark, self.rows, self.limit = spark, rows, limit

    def of(self, call: str, frame: int, slidewise: bool, each: float) -> float | None:
        """`each`: the seconds that an element of a frame is known to cost."""
        rows = max(self.rows, 2 * frame) if each == 0 else self.rows
        if each * rows * min(frame, rows) > self.limit:
            rows = int(self.limit / each / frame)
            if rows < frame:
                return None
        over = OVER.format(before=frame - 1)
        said = call.replace("{w}", over) if "{w}" in call else f"{call} {over}"
        self.spark.conf.set("spark.slidewise.enabled", str(slidewise).lower())
        self.spark.range(0, rows, 1, 1).selectExpr("id AS t", "(id * 7919) % 101 AS x").createOrReplaceTempView("t")
        best = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            self.spark.sql(f"SELECT {said} FROM t").write.format("noop").mode("overwrite").save()
            best = min(best, time.perf_counter() - start)
            if best > self.limit / 2:
                break
        return best / rows * 1e6


def line(measured: Measured, call: Call) -> str:
    cells = [f"`{call.ours}`", f"`{call.today.replace(' {w}', '')}`"]
    each = {"spark": 0.0, "today": 0.0}
    for frame in FRAMES:
        ours = measured.of(call.ours, frame, True, 0.0)
        row = [ours]
        for name, said in (("spark", call.ours), ("today", call.today)):
            # The first frame is short enough to run whatever it costs.
            took = measured.of(said, frame, False, each[name] or (0.0 if frame == FRAMES[0] else 1e-7))
            if took is not None:
                # Of the shortest frame, most is what a row costs without any.
                each[name] = min(took / 1e6 / frame, 1e-7 if frame == FRAMES[0] else float("inf"))
            row.append(took)
        cells.append(" / ".join("-" if v is None else f"{v:,.1f}" for v in row))
        click.echo(f"{call.ours} {frame}: {cells[-1]}")
    return "| " + " | ".join(cells) + " |"


@click.command()
@click.option("--rows", default=20_000, help="Rows of the table, more where a frame is longer.")
@click.option("--limit", default=10.0, help="Seconds that one query may take.")
def main(rows: int, limit: float) -> None:
    """Measures each function at each length of frame."""
    from session import with_slidewise

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[1]").config("spark.driver.memory", "3g")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    spark = with_slidewise(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.sparkContext.addPyFile(str(Path(__file__).with_name("calls.py")))
    for udf in UDFS:
        spark.udf.register(udf.__name__, F.pandas_udf(udf, "double"))
    measured = Measured(spark, rows, limit)
    for call in CALLS[:2]:
        measured.of(call.ours, 10, True, 0.0)
    table = [line(measured, call) for call in CALLS]
    heads = [f"{frame:,} rows" for frame in FRAMES]
    README.write_text(
        "# The SQL functions over moving frames\n\n"
        "`.venv/bin/python bench/functions/run.py` printed this. Each cell has three times in microseconds a row, the\n"
        "best of up to three runs of a whole query: Slidewise / the same function by Spark's own operator / what is\n"
        "written without the function. A dash is a query that would have taken more than the limit of seconds.\n\n"
        f"| function | without it | {' | '.join(heads)} |\n|---|---|{'---:|' * len(heads)}\n"
        + "\n".join(table)
        + f"\n\npyspark {pyspark.__version__}, {rows:,} rows or twice the frame, one thread, "
        f"limit {limit:g} s; {dt.datetime.now(dt.timezone.utc):%Y-%m-%d}.\n",
        encoding="utf-8",
    )
    spark.stop()


if __name__ == "__main__":
    main()
