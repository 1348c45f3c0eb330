"""What users write today: the last rows of a key in a list, added up again for every row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle


class ListAKey(StatefulProcessor):
    def __init__(self, length: int) -> None:
        self._length = length

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._last = handle.getListState("last", "ts timestamp, x double")

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        last = list(self._last.get()) if self._last.exists() else []
        arrived = pd.concat(rows).sort_values("ts")
        if last:
            arrived = arrived[arrived["ts"] > last[-1][0]]
        values = [x for _, x in last] + arrived["x"].tolist()
        begin = len(last)
        arrived["a"] = [sum(values[max(0, i - self._length + 1) : i + 1]) for i in range(begin, len(values))]
        times = [ts for ts, _ in last] + [ts.to_pydatetime() for ts in arrived["ts"]]
        self._last.put(list(zip(times, values, strict=True))[-self._length :])
        yield arrived
