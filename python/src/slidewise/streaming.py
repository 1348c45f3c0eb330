"""What SQL does not say of windows over streams: how they are getting on.

A window over a stream is plain SQL or DataFrame code, a watermark is `DataFrame.withWatermark`, the rest are settings;
none of them needs anything from here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["WindowProgress", "progress"]

_OPERATOR = "slidingWindow"


@dataclass(frozen=True)
class WindowProgress:
    """What one `SlidingWindow` of a streaming query did in one batch, in all its tasks."""

    batch: int
    operator: int
    """Which of the windows of the batch, from 0, in the order in which Spark reports them."""

    watermark: str | None
    """That of the batch, as Spark writes it; None before the first one."""

    rows_late: int
    """Rows that came too late, and were dropped or written aside."""

    rows_without_time: int
    """Rows whose event time is null, dropped."""

    keys: int
    """Keys that had new rows, or rows whose time had come."""

    combines: int
    """How often a function was applied to a row or to two states."""

    state_rows: int
    """Entries of the state store after the batch, each with some hundred rows of a key or with a key's header."""

    state_bytes: int
    """What the state store says that it holds in memory."""

    commit_ms: int
    """Milliseconds that the tasks took to write the state, added up."""


def progress(query: StreamingQuery) -> list[WindowProgress]:
    """What the windows of a streaming query did, batch by batch, as far back as Spark remembers
    (`spark.sql.streaming.numRecentProgressUpdates`, 100 batches by default). Works while the query runs and after it.

    >>> import slidewise, tempfile
    >>> from pathlib import Path
    >>> from pyspark.sql import SparkSession
    >>> from slidewise.streaming import progress
    >>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    >>> folder = tempfile.mkdtemp()
    >>> _ = Path(folder, "a.json").write_text('{"k": "a", "ts": "2026-01-01 00:00:01", "x": 1}')
    >>> rows = spark.readStream.schema("k string, ts timestamp, x bigint").json(folder)
    >>> sums = rows.withWatermark("ts", "1 minute").selectExpr(
    ...     "k", "ts", "sum(x) OVER (PARTITION BY k ORDER BY ts ROWS 9 PRECEDING) AS s")
    >>> query = sums.writeStream.format("noop").trigger(availableNow=True).start()
    >>> query.awaitTermination()
    >>> [(p.batch, p.keys, p.rows_late) for p in progress(query)][0]
    (0, 1, 0)
    """
    return [window for batch in query.recentProgress for window in _windows(json.loads(_json(batch)))]


def _json(batch: Any) -> str:
    # A Spark Connect session gives the progress as a dictionary of its own.
    return batch.json if hasattr(batch, "json") else json.dumps(batch)


def _windows(batch: dict[str, Any]) -> list[WindowProgress]:
    windows = [o for o in batch["stateOperators"] if o["operatorName"] == _OPERATOR]
    return [
        WindowProgress(
            batch=batch["batchId"],
            operator=at,
            watermark=batch.get("eventTime", {}).get("watermark"),
            rows_late=o["numRowsDroppedByWatermark"],
            rows_without_time=o["customMetrics"]["rowsWithoutEventTime"],
            keys=o["customMetrics"]["keysTouched"],
            combines=o["customMetrics"]["combines"],
            state_rows=o["numRowsTotal"],
            state_bytes=o["memoryUsedBytes"],
            commit_ms=o["commitTimeMs"],
        )
        for at, o in enumerate(windows)
    ]
