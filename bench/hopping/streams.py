"""Hopping windows over a stream with Slidewise on and off, beside tumbling windows over the same stream, in one run."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import stream_record
from shared import options, spark
from shared import results as stored
from shared.engines import THREADS
from shared.spark import SLIDEWISE, SPARK
from shared.turns import drawn
from stream_data import SCHEMA, stream

ROOT = Path(__file__).resolve().parents[2]
_ROCKSDB = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}


@dataclass(frozen=True)
class Stream:
    keys: int
    minutes: int
    files: int

    @property
    def events(self) -> int:
        return self.keys * self.minutes


STREAMS = (Stream(1_000, 1_000, 10), Stream(2_000, 90, 90))
"""Batches of 100 minutes and of one minute."""


@dataclass
class Measured:
    """A query over a stream: its seconds of each turn, and its state."""

    stream: Stream
    windows: str
    engine: str
    size: str
    slide: str
    seconds: list[float] = field(default_factory=list)
    updates: int = 0
    """States written."""
    written_bytes: int = 0
    """Bytes of keys and states that RocksDB was given to write."""
    state_rows: int = 0
    """States at most."""


class DisagreementError(Exception):
    pass


def _cases(stream: Stream) -> list[Measured]:
    return [
        Measured(stream, "tumbling, 1 minute", SPARK, "1 minute", "1 minute"),
        Measured(stream, "1 hour every minute", SLIDEWISE, "1 hour", "1 minute"),
        Measured(stream, "1 hour every minute", SPARK, "1 hour", "1 minute"),
    ]


@click.command()
@options.turns
@options.render
@options.docs
@options.results("hopping-streams")
@options.cache
def main(turns: int, render: bool, docs: bool, results: Path, cache: Path) -> None:
    """Checks that the answers agree, times the queries in turns, and writes the results."""
    if not render:
        session = spark.session("bench/hopping/streams", THREADS, _ROCKSDB)
        found = []
        for one in STREAMS:
            folder = stream(one.keys, one.minutes, one.files, cache)
            found += [asdict(m) for m in _measure(session, _cases(one), folder, turns)]
        session.stop()
        stored.write(results, stream_record.of(found, turns))
    click.echo("\n" + stream_record.table(stored.read(results)))
    if docs:
        stream_record.render(stored.read(results), ROOT / "docs/hopping.md")


def _measure(session: Any, cases: list[Measured], folder: Path, turns: int) -> list[Measured]:
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="bench-hopping-") as scratch:
        sums = {}
        for case in cases:
            to = Path(scratch) / "answers"
            shutil.rmtree(to, ignore_errors=True)
            _run(session, case, folder, Path(scratch), "parquet", to)
            (sums[case.windows, case.engine],) = (
                session.read.parquet(str(to))
                .selectExpr("count(*)", "sum(n * unix_seconds(start) % 1009)", "sum(CAST(round(b * 1000) AS bigint))")
                .collect()
            )
        if sums[cases[1].windows, SLIDEWISE] != sums[cases[1].windows, SPARK]:
            raise DisagreementError(str(sums))
        for turn, case in drawn(cases, turns):
            seconds, progress = _run(session, case, folder, Path(scratch), "noop")
            case.seconds.append(round(seconds, 3))
            operators = [state for batch in progress for state in batch["stateOperators"]]
            case.updates = sum(state["numRowsUpdated"] for state in operators)
            case.written_bytes = sum(state["customMetrics"]["rocksdbTotalBytesWritten"] for state in operators)
            case.state_rows = max(state["numRowsTotal"] for state in operators)
            past = f"{time.perf_counter() - begin:7.1f} s"
            click.echo(f"{past}  turn {turn + 1}: {case.windows}, {case.engine}: {seconds:.1f} s")
    return cases


def _run(session: Any, case: Measured, folder: Path, scratch: Path, sink: str, to: Path | None = None) -> Any:
    """The seconds of the whole query, and its progress."""
    session.conf.set("spark.slidewise.enabled", str(case.engine == SLIDEWISE).lower())
    events = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder))
    events.withWatermark("ts", "0 seconds").createOrReplaceTempView("events")
    window = f"'{case.size}', '{case.slide}'" if case.size != case.slide else f"'{case.size}'"
    answers = "count(*) AS n, sum(x) AS a, max(x) AS b"
    query = session.sql(f"SELECT k, window.start AS start, {answers} FROM events GROUP BY k, window(ts, {window})")
    checkpoint = scratch / "checkpoint"
    shutil.rmtree(checkpoint, ignore_errors=True)
    writing = query.writeStream.format(sink).option("checkpointLocation", str(checkpoint)).outputMode("append")
    if to:
        writing = writing.option("path", str(to))
    start = time.perf_counter()
    running = writing.trigger(availableNow=True).start()
    running.awaitTermination()
    took = time.perf_counter() - start
    progress = [batch if isinstance(batch, dict) else batch.jsonValue for batch in running.recentProgress]
    names = {state["operatorName"] for batch in progress for state in batch["stateOperators"]}
    ours = case.engine == SLIDEWISE and case.size != case.slide
    if names != {"hoppingWindow" if ours else "stateStoreSave"}:
        raise AssertionError(f"{case.windows}, {case.engine} ran on {names}")
    return took, progress


if __name__ == "__main__":
    main()
