"""Runs a streaming query over all that is there, and says what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming import StreamingQuery

Progress = dict[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True)
class Batch:
    """One batch as its progress has it; times in microseconds since 1970."""

    number: int
    rows: int
    watermark: int
    dropped: int
    timeless: int

    @staticmethod
    def of(progress: Progress) -> Batch:
        operator = operator_of(progress)
        return Batch(
            progress["batchId"],
            progress["numInputRows"],
            micros_of(progress["eventTime"].get("watermark")),
            operator["numRowsDroppedByWatermark"],
            operator["customMetrics"]["rowsWithoutEventTime"],
        )


def operator_of(progress: Progress) -> dict[str, Any]:
    """The window of a query that has one."""
    (found,) = (o for o in progress["stateOperators"] if o["operatorName"] == "slidingWindow")
    return dict(found)


def micros_of(watermark: str | None) -> int:
    return micros(datetime.fromisoformat(watermark)) if watermark else 0


def micros(time: datetime) -> int:
    since = time.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def progress_of(query: StreamingQuery) -> list[Progress]:
    """What the batches of a finished query did; a trigger without a batch is left out."""
    seen = {p["batchId"]: dict(p) for p in query.recentProgress if p["durationMs"].get("addBatch") is not None}
    return [seen[number] for number in sorted(seen)]


def run(frame: DataFrame, out: Path, checkpoint: Path) -> list[Progress]:
    """All that is there, into Parquet files."""
    query = (
        frame.writeStream.format("parquet")
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start(str(out))
    )
    query.awaitTermination()
    return progress_of(query)


def not_late(batches: Sequence[Sequence[Row]], ran: Sequence[Batch], time: str) -> list[list[Row]]:
    """Of each batch the rows that are in time, as Spark has it: after the watermark of the batch before theirs."""
    kept = []
    with_rows = [(before, batch) for before, batch in zip([None, *ran], ran, strict=False) if batch.rows]
    assert [batch.rows for _, batch in with_rows] == [len(rows) for rows in batches]
    for (before, _), rows in zip(with_rows, batches, strict=True):
        watermark = before.watermark if before else 0
        kept.append([row for row in rows if row[time] is not None and micros(row[time]) > watermark])
    return kept


def not_overtaken(batches: Sequence[Sequence[Row]], keys: dict[int, int], time: str) -> list[list[Row]]:
    """Of each batch the rows that are answered eagerly: not before the newest of their key in the batches before.

    `keys`: a number for the key of each row, by `id`.
    """
    newest: dict[int, datetime] = {}
    kept = []
    for rows in batches:
        kept.append([row for row in rows if keys[row["id"]] not in newest or row[time] >= newest[keys[row["id"]]]])
        for row in kept[-1]:
            key = keys[row["id"]]
            newest[key] = max(newest.get(key, row[time]), row[time])
    return kept
