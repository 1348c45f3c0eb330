"""Progress of window functions over streams, and streams that go on where a table ends.

The windows themselves need nothing from this module: they are plain SQL or DataFrame code, with a watermark from
`DataFrame.withWatermark`. They need Spark 4.0 or later.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from slidewise._features import require_classic, require_spark
from slidewise._install import call

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Backfilled", "WindowProgress", "backfill", "progress"]

_OPERATOR = "slidingWindow"
_MODES = ("append", "complete", "update")


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


@dataclass(frozen=True)
class Backfilled:
    """The first checkpoint of a streaming query, with the state after the rows of a table."""

    path: str
    batch: int
    """The number of its last batch. The query begins with the next one."""

    watermark: datetime
    """The watermark after the rows, in UTC. In append mode, the query writes no results of rows up to it whose frames
    end at it or before."""


def backfill(
    query: DataFrame,
    history: DataFrame,
    checkpoint: str,
    *,
    output_mode: str = "append",
    file_sink: str | None = None,
) -> Backfilled:
    """Writes the first checkpoint of a streaming query, with the state that the query has after the rows of a table.

    A query that is started with this checkpoint goes on as if it had read these rows first: its first event sees its
    whole frame. It reads its source from the place that the source's own options name, such as `startingOffsets` or
    `startingVersion`: name the first event that the table does not hold.

    - `query`: the streaming query, with windows or any other stateful operators of Spark, over one stream.
    - `history`: a table with the columns of the query's source. Rows that no later frame reaches may be left out.
    - `checkpoint`: the `checkpointLocation` of the query, where no file is yet.
    - `output_mode`: that in which the query will be started: ``"append"``, ``"update"`` or ``"complete"``.
    - `file_sink`: the `path` of the query's file sink, if it has one: its log begins with empty batches. Other sinks
      need nothing.

    The rows are written once to a folder beside the checkpoint, and the query runs over them in one batch, which has no
    result. In append mode, rows up to the returned watermark whose frames end there or before count as written: take
    their results from a batch query. Other rows wait in the state, and the query writes their results: later rows, and
    those whose frames reach ahead of the watermark, as with `lead`. Windows that run one after the other, by other keys
    or over results of windows, reach ahead by the sum of their frames. Keys that
    `spark.slidewise.streaming.keyTimeout` has ended have no such rows.

    >>> import slidewise, tempfile
    >>> from pyspark.sql import SparkSession
    >>> from slidewise.streaming import backfill
    >>> builder = SparkSession.builder.master("local[1]").config("spark.sql.shuffle.partitions", 2)
    >>> spark = slidewise.configure(builder).getOrCreate()
    >>> folder = tempfile.mkdtemp()
    >>> stream = spark.readStream.schema("k string, ts timestamp, x bigint").json(folder)
    >>> sums = stream.withWatermark("ts", "1 minute").selectExpr(
    ...     "k", "ts", "sum(x) OVER (PARTITION BY k ORDER BY ts ROWS 9 PRECEDING) AS s")
    >>> history = spark.sql("SELECT 'a' AS k, TIMESTAMP'2026-01-01 00:00:01' AS ts, 1L AS x")
    >>> backfill(sums, history, f"{folder}-checkpoint").batch
    1

    Raises TypeError or ValueError if an argument is wrong, AnalysisException with the condition
    SLIDEWISE_INVALID_CHECKPOINT if the table lacks a column of the source, the query reads several streams, the
    checkpoint is not empty, or empty batches are switched off, and what the query itself raises. Nothing is left in the
    checkpoint then.
    """
    from slidewise._spark_objects import check_is_a

    check_is_a("DataFrame", "query", query)
    check_is_a("DataFrame", "history", history)
    require_classic(query, "slidewise.streaming.backfill")
    if not isinstance(checkpoint, str) or not checkpoint:
        raise TypeError(f"checkpoint is {checkpoint!r:.200}, but must be a path")
    if file_sink is not None and (not isinstance(file_sink, str) or not file_sink):
        raise TypeError(f"file_sink is {file_sink!r:.200}, but must be a path, or None")
    if output_mode not in _MODES:
        raise ValueError(f"output_mode is {output_mode!r:.200}, but must be one of {', '.join(_MODES)}")
    spark = query.sparkSession
    require_spark("4.0", spark.version, "a checkpoint of windows over streams")
    arguments = (query._jdf, history._jdf, checkpoint, output_mode, file_sink or "")
    found = json.loads(call(spark, "backfill", *arguments, of=_CHECKPOINTS))
    watermark = datetime.fromtimestamp(found["watermark"] / 1000, tz=timezone.utc)
    return Backfilled(found["path"], found["batch"], watermark)


_CHECKPOINTS = "org.slidewise.spark.execution.streams.checkpoints.CheckpointCommands"


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
