"""Drivers and executors are killed at random points; what is begun again from the checkpoints answers each row once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from processes import end_of, killed_at_the_end
from pyspark.sql import SparkSession
from session import settings

from streams import killed
from streams.feed import Feed

PROGRAM = Path(__file__).parent / "driver.py"
# Each kills as many queries as the program runs. `make test-long` asks for more.
KILLS = int(os.environ.get("SLIDEWISE_KILLS", "1"))
BATCHES_A_KILL = 2


def driver(folder: Path, master: str, *settings: str) -> AbstractContextManager[subprocess.Popen[str]]:
    return killed_at_the_end(str(PROGRAM), str(folder), master, *settings, errors=folder / "stderr")


def said(process: subprocess.Popen[str], word: str, folder: Path, batches: int = 0) -> None:
    """Waits until the program says `word`: at most five minutes, and five seconds more for each batch it has to run."""
    assert process.stdout
    timer = threading.Timer(300 + 5 * batches, lambda: os.killpg(process.pid, signal.SIGKILL))
    timer.start()
    try:
        found = any(line.strip() == word for line in process.stdout)
    finally:
        timer.cancel()
    assert found, end_of(folder / "stderr")


def ends_within(process: subprocess.Popen[str], folder: Path, rng: random.Random) -> bool:
    """Lets the program commit some batches, or none, and go on for a moment; whether it is at its end then."""

    def commits() -> int:
        return sum(1 for _ in folder.glob("checkpoints/*/commits/[0-9]*"))

    enough, deadline = commits() + rng.randrange(6), time.monotonic() + 300
    while commits() < enough and process.poll() is None:
        assert time.monotonic() < deadline, end_of(folder / "stderr")
        time.sleep(0.05)
    try:
        process.wait(rng.uniform(0.0, 1.5))
    except subprocess.TimeoutExpired:
        return False
    return True


def executors(process: subprocess.Popen[str]) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
                mine = os.getpgid(int(entry.name)) == process.pid
            except OSError:
                continue
            if mine and b"CoarseGrainedExecutorBackend" in words:
                found.append(int(entry.name))
    return found


def assert_each_row_once(spark: SparkSession, folder: Path, feed: Feed) -> None:
    for name, (sql, _, _) in killed.QUERIES.items():
        feed.table(spark, feed.rows[:-1], folder / "all.parquet").createOrReplaceTempView("events")
        with settings(spark, {"spark.slidewise.enabled": "false", "spark.sql.session.timeZone": "UTC"}):
            expected = sorted(map(tuple, spark.sql(killed.FOR_SPARK.get(sql, sql)).collect()))
        got = sorted(map(tuple, spark.read.parquet(str(folder / "out" / name)).collect()))
        assert len(got) == len(expected), name
        assert got == expected, name
        assert [*(folder / "checkpoints" / name / "slidewise").glob("*.json")], name


def feed_for(folder: Path, seed: int, kills: int) -> Feed:
    feed = Feed(folder / "in", killed.ARROW, killed.SCHEMA)
    for rows in killed.batches(seed, max(3, kills * BATCHES_A_KILL), 40):
        feed.arrive(rows)
    return feed


def test_a_driver_that_is_killed(spark: SparkSession, tmp_path: Path) -> None:
    rng = random.Random(os.environ.get("SLIDEWISE_SEED", "8"))
    feed = feed_for(tmp_path, 1, KILLS)
    for _ in range(KILLS):
        with driver(tmp_path, "local[2]") as process:
            said(process, "started", tmp_path)
            if ends_within(process, tmp_path, rng):
                break
    # A query that was killed between its last batch of rows and the batch that only moves the watermark goes on when
    # rows come.
    feed.arrive(killed.end(2))
    with driver(tmp_path, "local[2]") as process:
        said(process, "done", tmp_path, KILLS * BATCHES_A_KILL)
    assert_each_row_once(spark, tmp_path, feed)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds executors by /proc")
@pytest.mark.long
def test_executors_that_are_killed(spark: SparkSession, tmp_path: Path) -> None:
    rng = random.Random(os.environ.get("SLIDEWISE_SEED", "8"))
    kills = max(1, KILLS // 4)
    feed = feed_for(tmp_path, 2, kills)
    with driver(tmp_path, "local-cluster[2,1,1024]") as process:
        said(process, "started", tmp_path)
        waiter = threading.Thread(target=said, args=(process, "done", tmp_path, kills * BATCHES_A_KILL))
        waiter.start()
        left = kills
        while left and waiter.is_alive():
            time.sleep(rng.uniform(2.0, 5.0))
            for executor in executors(process)[:1]:
                os.kill(executor, signal.SIGKILL)
                left -= 1
        waiter.join()
    assert left < kills, "no executor was found"
    assert_each_row_once(spark, tmp_path, feed)
