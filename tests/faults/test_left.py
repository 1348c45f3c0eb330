"""A thread or file that is left behind is noticed, and those of Spark are not taken for one."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from faults import run
from faults.left import Thread, Threads, block_folders, blocks_left, files_left, left_of, threads_in

POOLED = ("jdk.internal.misc.Unsafe.park", "java.util.concurrent.ThreadPoolExecutor.runWorker", "java.lang.Thread.run")
DUMP = """2026-11-25 10:00:00
Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):

"pool-3-thread-1" #31 prio=5 os_prio=0 cpu=9.36ms elapsed=8.11s tid=0x7f nid=0x2 waiting on condition  [0x7e]
   java.lang.Thread.State: WAITING (parking)
\tat jdk.internal.misc.Unsafe.park(java.base@17.0.15/Native Method)
\t- parking to wait for  <0x1> (a java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject)
\tat java.util.concurrent.ThreadPoolExecutor.runWorker(java.base@17.0.15/ThreadPoolExecutor.java:1122)
\tat java.lang.Thread.run(java.base@17.0.15/Thread.java:840)

"Executor task launch worker for task 3.0 in stage 1.0 (TID 4)" #54 daemon prio=5 tid=0x7e nid=0x3 runnable  [0x7d]
   java.lang.Thread.State: RUNNABLE
\tat org.slidewise.core.kernels.Sums$$Lambda$12/0x00007f.apply(Unknown Source)
\tat java.lang.Thread.run(java.base@17.0.15/Thread.java:840)

"VM Thread" os_prio=0 cpu=17.08ms elapsed=12.30s tid=0x7c nid=0x4 runnable
"""


def test_threads_of_a_dump() -> None:
    pooled, task = threads_in(DUMP)
    assert pooled == Thread("pool-3-thread-1", POOLED)
    assert pooled.has_no_owner
    assert not pooled.runs_slidewise
    assert task.kind == "Executor task launch worker for task #.# in stage #.# (TID #)"
    assert task.runs_slidewise
    assert left_of([[pooled]], [pooled, task]) == [task.name]


@pytest.mark.parametrize(
    ("thread", "left"),
    [
        (Thread("pool-4-thread-1", POOLED), True),
        (Thread("sorter", POOLED), True),
        (Thread("block-manager-ask-thread-pool-9", POOLED), False),
        (Thread("netty-rpc-connection-1", POOLED), False),
        (Thread("Thread-8", ("java.net.Socket.read", "py4j.GatewayConnection.run")), False),
        (Thread("C1 CompilerThread1", ()), False),
    ],
)
def test_more_threads_than_before(thread: Thread, left: bool) -> None:
    before = [[Thread("pool-2-thread-1", POOLED)], [Thread("pool-7-thread-1", POOLED)]]
    assert left_of(before, [Thread("pool-1-thread-1", POOLED), thread]) == ([thread.kind] if left else [])


def test_a_thread_that_goes_on(spark: SparkSession) -> None:
    assert spark._jvm
    threads = Threads(spark)
    timer = spark._jvm.java.util.Timer("left behind")
    assert threads.left(seconds=0) == ["driver: left behind"]
    timer.cancel()
    assert threads.left() == []


def test_a_file_that_stays(spark: SparkSession) -> None:
    (folder, *_), *_ = block_folders(spark).values()
    # Tasks that another test has cancelled may still hold files, as may Spark's shuffle after them.
    before = set(blocks_left(spark))
    kept, spilled, other = (folder / name for name in ("shuffle_999_0_0.data", "temp_local_1-2", "rows.bin"))
    try:
        for file in (kept, spilled, other):
            file.touch()
        assert set(blocks_left(spark, seconds=0)) - before == {str(spilled), str(other)}
    finally:
        for file in (kept, spilled, other):
            file.unlink()
    assert set(blocks_left(spark)) <= before


def test_files_after_the_end(tmp_path: Path) -> None:
    left = tmp_path / "blockmgr-1/0a/shuffle_1_2_3.data"
    left.parent.mkdir(parents=True)
    for file in (left, tmp_path / "snappy-1.1.10-libsnappyjava.so", tmp_path / "libzstd-jni-1.so"):
        file.touch()
    assert files_left([tmp_path, tmp_path / "absent"]) == [str(left)]


def test_a_summary_counts_what_is_left() -> None:
    line = {"query": "q", "same": True, "alone": 1.0, "took": 2.0, "left": ["a"], "what": ""}
    entry = run.summary(run.SCENARIOS[0], [line, {"threads": ["driver: t"]}, {"after": ["b", "c"]}])
    assert (entry["files"], entry["threads"]) == (3, 1)
    assert entry["said"] == ["a", "driver: t", "b", "c"]
    assert run.table([entry]).splitlines()[-1].endswith("| 1 of 1 | 2.0 | 3 | 1 |")
