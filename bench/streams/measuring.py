"""Runs the queries in turns, and checks what they answer."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cases import Case, Group
from data import PUSHER, SCHEMA
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery
from record import THREADS, Measurement, RowTimes
from variants import SLIDEWISE, Streams, Variant

Tell = Callable[[str], None]

_MODE = "spark.slidewise.streaming.mode"
_SUMS = "count(*), count(a), sum(a), sum(a * (unix_micros(ts) % 1009))"


class DisagreementError(Exception):
    pass


def session(jar: Path) -> SparkSession:
    import slidewise

    # Python workers are this Python, and find list_a_key.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))

    settings = {
        "spark.jars": str(jar),
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": THREADS,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    }
    builder = SparkSession.Builder().master(f"local[{THREADS}]").appName("bench/streams")
    for key, value in settings.items():
        builder = builder.config(key, str(value))
    spark = slidewise.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


class Runner:
    def __init__(self, spark: SparkSession, scratch: Path, tell: Tell) -> None:
        self._spark = spark
        self._scratch = scratch
        self._tell = tell
        self._jvm = Path(f"/proc/{spark.sparkContext._gateway.proc.pid}/stat")

    def measure(self, group: Group, streams: Streams, rows: int, turns: int, check: bool = True) -> list[Measurement]:
        """Each variant is checked, which warms it up, and then gets its turns."""
        ours = [streams.slidewise(case) for case in group.cases]
        variants = ours + [variant for peer in group.peers for variant in streams.peers(peer, group.cases)]
        for variant in variants if check else []:
            self._check(variant, streams, rows)
        found = [Measurement(variant.name, variant.case, rows) for variant in variants]
        for turn, (variant, measured) in itertools.product(range(turns), zip(variants, found, strict=True)):
            self._time(variant, measured)
            took = f"{measured.seconds[-1]:.2f} s, {measured.processor[-1]:.2f} s of processors"
            self._tell(f"turn {turn + 1}: {words(variant)}: {took}")
        return found

    def row_times(self, case: Case | None, streams: Streams, turns: int) -> RowTimes:
        """The times between rows as they come out of the operator; without a case, of the shuffle alone."""
        found = RowTimes(case)
        timing = self._spark._jvm.org.slidewise.bench.streams.RowTimes
        variant = streams.slidewise(case) if case else streams.peers("scan and shuffle", ())[0]
        for turn in range(turns + 1):
            answers = self._configured(variant).select("a")
            self._run(DataFrame(timing.taken(answers._jdf), self._spark), "noop")
            *quantiles, processor = (int(q) for q in timing.quantiles())
            if turn:
                found.quantiles.append(quantiles)
                found.processor.append(processor)
        self._tell(f"row times: {words(variant)}: {found.quantiles}, of the processor {found.processor}")
        return found

    def _configured(self, variant: Variant) -> DataFrame:
        self._spark.conf.set(_MODE, "eager" if variant.case and variant.case.eager else "append")
        return variant.query()

    def _time(self, variant: Variant, into: Measurement) -> None:
        query = self._configured(variant)
        processor, begin = self._processor_seconds(), time.perf_counter()
        ran = self._run(query, "noop")
        into.seconds.append(round(time.perf_counter() - begin, 3))
        into.processor.append(round(self._processor_seconds() - processor, 2))
        reports = ran.recentProgress
        into.batches += [p.durationMs["triggerExecution"] for p in reports if p.numInputRows]
        operators = [o for p in reports for o in p.stateOperators]
        into.state_rows = max((o.numRowsTotal for o in operators), default=0)
        into.combines = sum(o.customMetrics.get("combines", 0) for o in operators)

    def _run(self, query: DataFrame, sink: str, path: Path | None = None) -> StreamingQuery:
        checkpoint = self._scratch / "checkpoint"
        shutil.rmtree(checkpoint, ignore_errors=True)
        writing = query.writeStream.format(sink).option("checkpointLocation", str(checkpoint))
        if path:
            writing = writing.option("path", str(path))
        running = writing.trigger(availableNow=True).start()
        running.awaitTermination()
        return running

    def _processor_seconds(self) -> float:
        """Of the JVM, where the system tells; Python workers are not in it."""
        if not self._jvm.exists():
            return 0.0
        fields = self._jvm.read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _check(self, variant: Variant, streams: Streams, rows: int) -> None:
        """The rows that came out, all of them unless it is eager, with what the batch query answers over just these."""
        to = self._scratch / "answers"
        shutil.rmtree(to, ignore_errors=True)
        self._run(self._configured(variant), "parquet", to)
        came_out = self._spark.read.parquet(str(to)).where(f"k <> {PUSHER}")
        came_out.createOrReplaceTempView("came_out")
        got = self._sums("SELECT ts, a FROM came_out")
        over = "came_out"
        if not (variant.case and variant.case.eager):
            over = "sent"
            sent = self._spark.read.schema(SCHEMA).parquet(str(streams.folder))
            sent.where(f"k <> {PUSHER}").createOrReplaceTempView(over)
        expected = self._sums(f"SELECT ts, {variant.of} FROM (SELECT k, ts, x, v FROM {over})")
        if not agree(got, expected) or got[0] < rows / 2:
            raise DisagreementError(f"{words(variant)} answers {got}, not {expected}, on {rows:,} rows")
        self._tell(f"{words(variant)}: {got[0]:,} rows, with the answers of the batch query")

    def _sums(self, query: str) -> list[Any]:
        return list(self._spark.sql(f"SELECT {_SUMS} FROM ({query})").collect()[0])


def agree(one: list[Any], other: list[Any]) -> bool:
    counts = one[:2] == other[:2]
    return counts and all(abs(a - b) <= 1e-9 * max(abs(a), abs(b)) for a, b in zip(one[2:], other[2:], strict=True))


def words(variant: Variant) -> str:
    case = variant.case
    if case is None:
        return variant.name
    mode = " eager," if case.eager and variant.name == SLIDEWISE else ""
    return f"{variant.name},{mode} {case.keys:,} keys, {case.aggregate} over {case.frame_in_words}"
