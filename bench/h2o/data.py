"""The table that the queries read: ids of three cardinalities and a value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from shared.parquet import kept

_SEED = 20_261_122
_NULLS = 0.01


def table(rows: int, cache: Path) -> Path:
    """A file of `large(id1 bigint, id2 bigint, id3 bigint, v2 double)`.

    id1 has 100 values and id2 has 10,000. id3 runs through 1 … rows in a random order. v2 is uniform in 0 to 100, and
    null in one row of a hundred.
    """
    return kept(cache / f"h2o-rows={rows}.parquet", lambda: _generate(rows))


def _generate(rows: int) -> pa.Table:
    random = np.random.default_rng(_SEED)
    return pa.table(
        {
            "id1": random.integers(1, 101, rows, dtype=np.int64),
            "id2": random.integers(1, 10_001, rows, dtype=np.int64),
            "id3": random.permutation(np.arange(1, rows + 1, dtype=np.int64)),
            "v2": pa.array(random.random(rows) * 100, mask=random.random(rows) < _NULLS),
        }
    )
