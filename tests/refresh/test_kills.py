"""A process that is killed while it refreshes leaves a result that the next refresh completes."""

from __future__ import annotations

import os
import random
import select
import time
from pathlib import Path
from typing import IO

import pytest
from processes import end_of, killed_at_the_end
from pyspark.sql import SparkSession

import slidewise
from refresh import killed

KILLS = int(os.environ.get("SLIDEWISE_KILLS", "3"))
PATIENCE = 300


def killed_after(refreshes: int, folder: Path, target: Path, days: int, rng: random.Random) -> None:
    """Kills a process at a random moment of a refresh, or while it writes, after it has made some others."""
    errors = folder / "stderr"
    with killed_at_the_end("-m", "refresh.killed", str(target), str(days), errors=errors) as process:
        assert process.stdin
        assert process.stdout
        seconds = 3.0
        for number in range(refreshes + 1):
            assert process.stdout.readline() == "ready\n", end_of(errors)
            began = time.monotonic()
            process.stdin.write("\n")
            if number < refreshes:
                select.select([process.stdout], [], [], PATIENCE)
                seconds = time.monotonic() - began
        if rng.random() < 0.5:
            time.sleep(rng.random() * seconds)
        else:
            wait_for_writes(target, process.stdout)
            time.sleep(rng.random() * 0.5)


def wait_for_writes(target: Path, ended: IO[str]) -> None:
    """Waits until the refresh writes to the target, or has ended."""
    while not any((target / "_slidewise_refresh").glob("*")):
        if select.select([ended], [], [], 0.001)[0]:
            break


@pytest.mark.long
def test_a_process_that_is_killed(spark: SparkSession, tmp_path: Path) -> None:
    rng = random.Random(os.environ.get("SLIDEWISE_SEED", "5"))
    target = tmp_path / "result"
    table = f"parquet.`{target}`"
    days = 3
    killed.pay(spark, days).createOrReplaceTempView("pay")
    spark.sql(killed.QUERY).write.partitionBy("day").parquet(str(target))
    for _ in range(KILLS):
        refreshes = rng.choice([0, 1, 2])
        killed_after(refreshes, tmp_path, target, days + 1, rng)
        days += refreshes + 1
        lock = target / "_slidewise_refresh" / "lock"
        refresh = killed.of_day(spark, table, days)
        if lock.exists():
            with pytest.raises(slidewise.RefreshConflictError, match=r"delete .*lock"):
                refresh.run()
            lock.unlink()
            refresh = killed.of_day(spark, table, days)
        refresh.run()
        stored = sorted(map(tuple, spark.read.parquet(str(target)).select("id", "k", "day", "v", "n").collect()))
        assert stored == sorted(map(tuple, spark.sql(killed.QUERY).collect()))
        assert not list(target.glob("_slidewise*"))
