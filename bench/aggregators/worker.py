"""What evaluating an aggregator costs in the Python worker alone, without Spark."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pyarrow as pa

import slidewise
from slidewise._aggregates.over import over

# As Spark sends them.
_ROWS_OF_A_BATCH = 10_000


def nanoseconds(aggregator: slidewise.Aggregator, rows: int, width: int) -> float:
    """For each row of one partition, with frames of the last `width` rows, from Arrow batches to Arrow batches."""
    spec = {"timeZone": "UTC", "functions": [{"frame": 0, "arguments": [2], "filter": None, "grows": False}]}
    hi = np.arange(1, rows + 1)
    table: Any = pa.table({"lo": np.maximum(hi - width, 0), "hi": hi, "x": (hi * 7919 % 1000).astype(float)})
    batches = table.to_batches(_ROWS_OF_A_BATCH)
    start = time.perf_counter()
    returned = sum(len(batch) for batch in over([aggregator], spec, iter(batches)))
    took = time.perf_counter() - start
    assert returned == rows
    return round(took / rows * 1e9, 1)
