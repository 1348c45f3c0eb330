"""Run by run.py with spark-submit: asks each query while one fault happens, and prints a line of JSON for each.

The first argument names the fault, as FAULTS lists them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyarrow as pa
from deployment.parallel_program import Killer
from plans import metric, plan
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

from faults.left import Threads, block_folders, blocks_left
from faults.queries import SLIDEWISE, SUMMED, WINDOWS

Rows = list[tuple[Any, ...]]
SLOW_SECONDS = 60


def assert_taken(frame: DataFrame) -> None:
    planned = plan(frame)
    assert any(operator in planned for operator in SLIDEWISE), planned


def answer(frame: DataFrame) -> Rows:
    assert_taken(frame)
    return sorted(map(tuple, frame.collect()))


def answer_while(killer: Killer, frame: DataFrame) -> Rows:
    killer.start()
    try:
        found = answer(frame)
    finally:
        killer.over = True
        killer.join()
    assert killer.killed, "the query ended before an executor was killed"
    return found


def killed(stage: int) -> Callable[[SparkSession, str], Rows]:
    """An executor dies once a task of the query's `stage`th stage has ended."""
    return lambda spark, name: answer_while(Killer(spark, stage), spark.sql(SUMMED[name]))


def killed_with_spills(spark: SparkSession, name: str) -> Rows:
    frame = spark.sql(SUMMED[name])
    found = answer_while(SpillKiller(spark), frame)
    assert metric(frame, "spillSize") > 0, "Slidewise has spilled nothing"
    return found


class SpillKiller(Killer):
    """Kills the first executor that has a file of spilled rows."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(spark, stage=0)
        self.folders = block_folders(spark)

    def run(self) -> None:
        while not self.over and not self.killed:
            for process, folders in self.folders.items():
                if any(next(folder.rglob("temp_local_*"), None) for folder in folders):
                    os.kill(process, signal.SIGKILL)
                    self.killed = True
                    break
            time.sleep(0.002)


def _failing_once(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for number, batch in enumerate(batches):
        context = TaskContext.get()
        assert context is not None
        if context.attemptNumber() == 0 and number == 1:
            raise RuntimeError("a task that fails after its first rows")
        yield batch


def _slow_once(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for number, batch in enumerate(batches):
        context = TaskContext.get()
        assert context is not None
        if context.attemptNumber() == 0 and context.partitionId() == 0 and number == 1:
            time.sleep(SLOW_SECONDS)
        yield batch


def above(function: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]) -> Callable[..., Rows]:
    """Something happens to the task while Slidewise's operator is in the middle of its rows."""

    def ask(spark: SparkSession, name: str) -> Rows:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
        rows = spark.sql(WINDOWS[name])
        hashes = rows.selectExpr("hash(*) AS h").mapInArrow(function, "h int")
        return answer(hashes.selectExpr("count(*)", "sum(h)"))

    return ask


def speculation(spark: SparkSession, name: str) -> Rows:
    begin = time.monotonic()
    found = above(_slow_once)(spark, name)
    assert time.monotonic() - begin < SLOW_SECONDS, "the query waited for its slow task"
    return found


def lost_files(spark: SparkSession, name: str) -> Rows:
    """The shuffle's files are gone when they are read again: a fetch fails, and the stage before runs again."""
    frame = spark.sql(WINDOWS[name]).selectExpr("hash(*) AS h")
    assert_taken(frame)
    hashes = frame.rdd.map(lambda row: row.h)
    hashes.count()  # leaves the files
    files = list(Path(str(spark.conf.get("spark.local.dir"))).rglob("shuffle_*.data"))
    assert files, "the query has written no shuffle"
    for file in files:
        file.unlink(missing_ok=True)
    return [hashes.map(lambda value: (1, value)).reduce(lambda one, other: (one[0] + other[0], one[1] + other[1]))]


def at_once(count: int) -> Callable[[SparkSession, str], Rows]:
    """So many queries in one session; all have the same answer."""

    def ask(spark: SparkSession, name: str) -> Rows:
        with ThreadPoolExecutor(count) as pool:
            found = list(pool.map(lambda _: answer(spark.sql(SUMMED[name])), range(count)))
        assert all(rows == found[0] for rows in found), "the queries differ"
        return found[0]

    return ask


def nothing(spark: SparkSession, name: str) -> Rows:
    return answer(spark.sql(SUMMED[name]))


FAULTS: dict[str, Callable[[SparkSession, str], Rows]] = {
    "nothing": nothing,
    "killed in stage 1": killed(1),
    "killed in stage 2": killed(2),
    "killed with spills": killed_with_spills,
    "task fails once": above(_failing_once),
    "speculation": speculation,
    "fetch failure": lost_files,
    "200 at once": at_once(200),
}


def main() -> None:
    spark = SparkSession.builder.getOrCreate()
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    fault = FAULTS[sys.argv[1]]
    names = sys.argv[2:] or list(WINDOWS)
    spark.conf.set("spark.slidewise.enabled", "false")
    expected = {name: sorted(map(tuple, spark.sql(SUMMED[name]).collect())) for name in names}
    spark.conf.set("spark.slidewise.enabled", "true")
    threads = Threads(spark)
    for name in names:
        begin = time.monotonic()
        nothing(spark, name)
        alone = time.monotonic() - begin
        begin, what = time.monotonic(), ""
        try:
            same = fault(spark, name) == expected[name]
        except Exception as error:
            same, what = False, f"{type(error).__name__}: {str(error)[:300]}"
        took = time.monotonic() - begin
        line = {"query": name, "same": same, "alone": alone, "took": took, "left": blocks_left(spark), "what": what}
        print("RESULT " + json.dumps(line), flush=True)
    print("RESULT " + json.dumps({"threads": threads.left()}), flush=True)


if __name__ == "__main__":
    main()
