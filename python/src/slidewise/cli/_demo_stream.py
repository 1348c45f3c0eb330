"""`slidewise demo --stream`: the flights of 2013 as a stream with late and unordered events."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from slidewise._features import UnsupportedFeatureError, require_spark
from slidewise.cli import _compare, _demo, _table
from slidewise.cli._demo_queries import ARRIVALS, END, FEATURES, LATEST
from slidewise.cli._live import LiveText
from slidewise.cli._progress import progress
from slidewise.cli._session import interrupted, session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_MOST_BATCHES = 24
_WATERMARK = "2 hours"
_BUSIEST = 12


def run(days: int) -> None:
    """Replays the first days, prints the features of each batch, and compares them with the batch query's answer."""
    data = _demo.flights()
    with tempfile.TemporaryDirectory(prefix="slidewise-demo-") as scratch, session() as spark:
        folder = Path(scratch)
        _refuse_old(spark)
        spark.conf.set("spark.sql.shuffle.partitions", spark.sparkContext.defaultParallelism)
        with progress(spark, "loading the flights"):
            _demo.load(spark, data, folder)
            _write_arrivals(spark, days, folder / "arrivals")
        click.echo(f"Spark {spark.version}. Events are up to 110 minutes late; the watermark is {_WATERMARK}.\n")
        click.echo(f"{FEATURES}\n")
        replay = _Replay(spark, folder)
        seconds = replay.run()
        with progress(spark, "the same query over the table"):
            spark.read.parquet(str(folder / "arrivals")).where("id >= 0").createOrReplaceTempView("flights")
            spark.sql(FEATURES).write.parquet(str(folder / "table"))
        answers = _compare.Comparison(on_at=str(replay.answers / "*"), off_at=str(folder / "table"))
        differing = _compare.differing_rows(spark, answers)
        if differing:
            raise click.ClickException(f"{differing} rows differ between the stream's answer and the table's")
        click.echo(
            f"\n{replay.rows:,} flights answered, each once, in {seconds:.0f} s: the same answer as over the table"
        )


def _refuse_old(spark: SparkSession) -> None:
    try:
        require_spark("4.0", spark.version, "a window over a stream")
    except UnsupportedFeatureError as error:
        raise click.UsageError(f"--stream: {error}") from error


def _write_arrivals(spark: SparkSession, days: int, to: Path) -> None:
    """Writes the flights in the order of their arrival, one file a batch, oldest batch first."""
    batches = min(_MOST_BATCHES, days)
    spark.sql(ARRIVALS.format(days=days, batches=batches)).createOrReplaceTempView("arrivals")
    spark.sql(END).repartition("batch").write.partitionBy("batch").parquet(str(to))
    for batch in range(batches + 1):
        for file in (to / f"batch={batch}").glob("*.parquet"):
            os.utime(file, (1_000_000_000 + batch,) * 2)


class _Replay:
    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.answers = folder / "stream"
        self.rows = 0
        self._spark = spark
        self._arrivals = str(folder / "arrivals")
        self._checkpoint = str(folder / "checkpoint")
        self._latest: dict[tuple[str, str], Row] = {}
        self._live = LiveText()

    def run(self) -> float:
        """Runs the query until it has answered all flights. Returns the seconds."""
        schema = self._spark.read.parquet(self._arrivals).schema
        source = self._spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(self._arrivals)
        source.withWatermark("at", _WATERMARK).createOrReplaceTempView("flights")
        began = time.perf_counter()
        writing = self._spark.sql(FEATURES).writeStream.foreachBatch(self._take).trigger(availableNow=True)
        writing.option("checkpointLocation", self._checkpoint).start().awaitTermination()
        return time.perf_counter() - began

    def _take(self, batch: DataFrame, number: int) -> None:
        try:
            self._answer(batch, number)
        except Exception:
            # An error would end the query, and Spark print the stack of the thread that reports it.
            if not interrupted.is_set():
                raise

    def _answer(self, batch: DataFrame, number: int) -> None:
        path = str(self.answers / f"batch-{number}")
        batch.write.mode("overwrite").parquet(path)  # a batch that runs again replaces its rows
        self._spark.read.parquet(path).createOrReplaceTempView("answered")
        for row in self._spark.sql(LATEST).collect():
            self.rows += row.answered
            self._latest[row.carrier, row.origin] = row
        self._live.show(self._text(number))

    def _text(self, number: int) -> str:
        title = f"batch {number + 1}: {self.rows:,} flights answered"
        if not self._latest:
            return title
        busiest = sorted(self._latest.values(), key=lambda row: -row.flights_1d)[:_BUSIEST]
        names = [name for name in busiest[0].__fields__ if name != "answered"]
        return f"{title}\n\n{_table.aligned(names, [[row[name] for name in names] for row in busiest])}"
