"""Runs GROUP BY window() over a stream with Slidewise on or off, and says what each batch emitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from session import settings

from streams.feed import Feed, Row
from streams.run import Progress, progress_of

SCHEMA = "k string, ts timestamp, n bigint"
ARROW = pa.schema([("k", pa.string()), ("ts", pa.timestamp("us", "UTC")), ("n", pa.int64())])
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)

Query = Callable[[DataFrame], DataFrame]


def row(k: str | None, second: float | None, n: int | None) -> Row:
    return {"k": k, "ts": None if second is None else BEGIN + timedelta(seconds=second), "n": n}


def feed_of(folder: Path, *batches: list[Row]) -> Feed:
    feed = Feed(folder / "in", ARROW, SCHEMA)
    for batch in batches:
        feed.arrive(batch)
    return feed


def text(value: Any) -> str:
    """A value as text, without the last digits of doubles, which depend on the order of additions."""
    if isinstance(value, float):
        return f"{value:.9g}"
    return f"({', '.join(map(text, value))})" if isinstance(value, tuple | list) else repr(value)


@dataclass(frozen=True)
class Ran:
    """`batches`: the rows of each batch as text, sorted; `progress`: of the batches in their order."""

    batches: dict[int, list[str]]
    progress: list[Progress]

    @property
    def operators(self) -> list[str]:
        return [operator["operatorName"] for operator in self.progress[-1]["stateOperators"]]

    def each(self, measure: str, operator: int = 0) -> list[int]:
        return [int(p["stateOperators"][operator][measure]) for p in self.progress]

    @property
    def rows(self) -> list[str]:
        return sorted(row for batch in self.batches.values() for row in batch)


@dataclass(frozen=True)
class Stream:
    """A query over a feed that is run from a checkpoint, as often as one wants."""

    spark: SparkSession
    feed: Feed
    query: Query
    mode: str
    delay: str | None = "10 seconds"

    def run(self, checkpoint: Path, enabled: bool = True, files_a_batch: int = 1) -> Ran:
        batches: dict[int, list[str]] = {}

        def emitted(batch: DataFrame, number: int) -> None:
            batches[number] = sorted(text(row) for row in batch.collect())

        with settings(self.spark, {"spark.slidewise.enabled": str(enabled).lower()}):
            rows = self.feed.stream(self.spark, files_a_batch)
            frame = self.query(rows.withWatermark("ts", self.delay) if self.delay else rows)
            writer = frame.writeStream.outputMode(self.mode).foreachBatch(emitted)
            query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
        query.awaitTermination()
        return Ran({number: rows for number, rows in batches.items() if rows}, progress_of(query))


def assert_same(stream: Stream, folder: Path) -> tuple[Ran, Ran]:
    """That Slidewise emits in each batch what Spark emits, and counts the same late windows; how both ran."""
    on, off = stream.run(folder / "on"), stream.run(folder / "off", enabled=False)
    assert set(on.operators) == {"hoppingWindow"}
    assert "hoppingWindow" not in off.operators
    assert on.batches == off.batches != {}
    for place in range(len(on.operators)):
        late = "numRowsDroppedByWatermark"
        assert on.each(late, place) == off.each(late, place)
    return on, off
