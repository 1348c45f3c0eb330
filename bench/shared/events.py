"""Spark's event log, which tells what Spark's own metrics of each task say."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

Event = dict[str, Any]


class EventLog:
    """The log of one application, in a temporary folder."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="bench-events-")
        self._log: Path | None = None
        self._read = 0

    def settings(self) -> dict[str, str]:
        """What the session must be started with."""
        return {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": Path(self._directory.name).as_uri(),
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
        }

    def since_last(self, spark: Any, *kinds: str) -> list[Event]:
        """The events of these kinds since the last call, in order. No query may be running."""
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        self._log = self._log or next(Path(self._directory.name).iterdir())
        wanted = tuple(f'{{"Event":"{kind}"' for kind in kinds)
        with self._log.open() as log:
            log.seek(self._read)
            events = [json.loads(line) for line in log if line.startswith(wanted)]
            log.seek(0, 2)
            self._read = log.tell()
        return events
