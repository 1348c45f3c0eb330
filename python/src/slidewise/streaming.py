"""Progress of window functions over streams.

The windows themselves need nothing from this module: they are plain SQL or DataFrame code, with a watermark from
`DataFrame.withWatermark`. They need Spark 4.0 or later.
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
    """Metrics of one `SlidingWindow` operator of a streaming query in one batch, summed over its tasks."""

    batch: int
    operator: int
    """The index of the operator in the batch, from 0, in the order of Spark's report."""

    watermark: str | None
    """The watermark of the batch, in Spark's format. None before the first watermark."""

    rows_late: int
    """Late rows: dropped, or written to `spark.slidewise.streaming.lateRowsPath`."""

    rows_without_time: int
    """Rows dropped because their event time is null."""

    keys: int
    """Keys with new rows or with rows that the watermark passed."""

    combines: int
    """Number of updates and merges of aggregation buffers."""

    state_rows: int
    """Entries in the state store after the batch. An entry holds several hundred rows of a key, or its header."""

    state_bytes: int
    """Size of these entries, not compressed."""

    memory_bytes: int
    """Memory used by the state store, as it reports."""

    live_keys: int
    """Keys with a state after the batch."""

    expired_keys: int
    """Keys whose state the batch has removed."""

    waiting_rows: int
    """Rows in the state that have not been emitted: they wait for the watermark, or for the rest of their frames."""

    oldest_waiting_ms: int
    """Milliseconds by which the watermark has passed the oldest row whose frames are not complete, or a little more.
    0 if no such row waits."""

    commit_ms: int
    """Milliseconds to write the state, summed over the tasks."""


def progress(query: StreamingQuery) -> list[WindowProgress]:
    """The metrics of a streaming query's windows for each recent batch. Works while the query runs and after it ends.

    Spark keeps the last 100 batches by default (`spark.sql.streaming.numRecentProgressUpdates`).

    >>> import slidewise, tempfile
    >>> from pathlib import Path
    >>> from pyspark.sql import SparkSession
    >>> from slidewise.streaming import progress
    >>> builder = SparkSession.builder.master("local[1]").config("spark.sql.shuffle.partitions", 2)
    >>> spark = slidewise.configure(builder).getOrCreate()
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
    # On Spark Connect, the progress is a dictionary.
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
            state_bytes=o["customMetrics"]["stateBytes"],
            memory_bytes=o["memoryUsedBytes"],
            live_keys=o["customMetrics"]["liveKeys"],
            expired_keys=o["customMetrics"]["expiredKeys"],
            waiting_rows=o["customMetrics"]["waitingRows"],
            oldest_waiting_ms=o["customMetrics"]["oldestWaitingMs"],
            commit_ms=o["commitTimeMs"],
        )
        for at, o in enumerate(windows)
    ]
