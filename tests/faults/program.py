"""Run by run.py with spark-submit: asks each query while one fault happens, and prints a line of JSON for each.

The first argument names the fault, as FAULTS lists them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyarrow as pa
from deployment.parallel_program import Killer
from plans import plan
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from robustness.spills import files_left

from faults.queries import SUMMED, WINDOWS

Rows = list[tuple[Any, ...]]
SLIDEWISE = ("SlidingWindow", "HoppingWindow", "WindowTopRows")


def assert_taken(frame: DataFrame) -> None:
    planned = plan(frame)
    assert any(operator in planned for operator in SLIDEWISE), planned


def answer(frame: DataFrame) -> Rows:
    assert_taken(frame)
    return sorted(map(tuple, frame.collect()))


def killed(stage: int) -> Callable[[SparkSession, str], Rows]:
    """An executor dies once a task of the query's `stage`th stage has ended."""

    def ask(spark: SparkSession, name: str) -> Rows:
        killer = Killer(spark, stage)
        killer.start()
        try:
            found = answer(spark.sql(SUMMED[name]))
        finally:
            killer.over = True
            killer.join()
        assert killer.killed, "the query ended before an executor was killed"
        return found

    return ask


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
            time.sleep(60)
        yield batch


def above(function: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]) -> Callable[..., Rows]:
    """Something happens to the task while Slidewise's operator is in the middle of its rows."""

    def ask(spark: SparkSession, name: str) -> Rows:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
        rows = spark.sql(WINDOWS[name])
        hashes = rows.selectExpr("hash(*) AS h").mapInArrow(function, "h int")
        return answer(hashes.selectExpr("count(*)", "sum(h)"))

    return ask


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
    "task fails once": above(_failing_once),
    "speculation": above(_slow_once),
    "fetch failure": lost_files,
    "200 at once": at_once(200),
}


def main() -> None:
    spark = SparkSession.builder.getOrCreate()
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    fault = FAULTS[sys.argv[1]]
    names = sys.argv[2:] or list(WINDOWS)
    for name in names:
        spark.conf.set("spark.slidewise.enabled", "false")
        expected = sorted(map(tuple, spark.sql(SUMMED[name]).collect()))
        spark.conf.set("spark.slidewise.enabled", "true")
        begin = time.monotonic()
        nothing(spark, name)
        alone = time.monotonic() - begin
        begin, what = time.monotonic(), ""
        try:
            same = fault(spark, name) == expected
        except Exception as error:
            same, what = False, f"{type(error).__name__}: {str(error)[:300]}"
        took = time.monotonic() - begin
        deadline = time.monotonic() + 10
        while files_left(spark) and time.monotonic() < deadline:
            time.sleep(0.2)
        line = {"query": name, "same": same, "alone": alone, "took": took, "left": files_left(spark), "what": what}
        print("RESULT " + json.dumps(line), flush=True)
    running = spark._jvm.java.lang.Thread.getAllStackTraces().keySet()
    threads = [name for thread in running if "slidewise" in (name := str(thread.getName())).lower()]
    print("RESULT " + json.dumps({"threads": threads}), flush=True)


if __name__ == "__main__":
    main()
