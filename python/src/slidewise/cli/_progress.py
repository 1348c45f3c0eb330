"""A progress line for long work."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TERMINAL_EVERY_S = 0.5
_LOG_EVERY_S = 15.0


@contextmanager
def progress(spark: SparkSession, what: str) -> Iterator[None]:
    """Prints to standard error what runs, for how long, and the number of completed tasks: on a terminal in one line
    that is erased at the end, elsewhere in a new line every 15 seconds."""
    terminal = sys.stderr.isatty()
    done = threading.Event()
    began = time.monotonic()

    def tell() -> None:
        while not done.wait(_TERMINAL_EVERY_S if terminal else _LOG_EVERY_S):
            line = f"{what}: {time.monotonic() - began:.0f} s{_tasks(spark)}"
            if terminal:  # a wrapped line could not be erased
                fitted = line[: shutil.get_terminal_size().columns - 1]
                print(f"\r\033[K{fitted}", end="", file=sys.stderr, flush=True)
            else:
                print(line, file=sys.stderr, flush=True)

    teller = threading.Thread(target=tell, name="slidewise-progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
        if terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _tasks(spark: SparkSession) -> str:
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    total = sum(stage.numTasks for stage in stages if stage)
    return f", {sum(stage.numCompletedTasks for stage in stages if stage)} of {total} tasks" if total else ""
