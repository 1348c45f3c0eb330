"""What a fault leaves behind: threads in the driver and its executors, and files on their disks."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from pyspark.sql import SparkSession

A = TypeVar("A")
# Blocks that Spark keeps for later stages.
_KEPT = re.compile(r"(shuffle|broadcast|rdd)_")
# Libraries that Spark's codecs and transport unpack, and the counters of a JVM.
_UNPACKED = re.compile(r"\.so(\.lck)?$|hsperfdata_")
# Pools and helpers of Spark and of its libraries, whose idle threads show frames of Java alone.
_SPARKS = re.compile(
    r"Executor task (launch|idle) worker|block-manager-|driver-executor-delay-remove|dag-scheduler-message|"
    r"process reaper|netty-rpc-connection-"
)


class Thread(NamedTuple):
    name: str
    frames: tuple[str, ...]

    @property
    def kind(self) -> str:
        return re.sub(r"\d+", "#", self.name)

    @property
    def runs_slidewise(self) -> bool:
        return any(frame.startswith("org.slidewise.") for frame in self.frames)

    @property
    def has_no_owner(self) -> bool:
        """Neither its frames nor its name are of Spark or another library."""
        of_java = bool(self.frames) and all(re.match(r"(java|jdk|sun)\.", frame) for frame in self.frames)
        return of_java and not _SPARKS.match(self.name)


def threads_in(dump: str) -> list[Thread]:
    """The threads of a dump as `jcmd` prints it, without those of the JVM itself."""
    found = []
    for block in re.split(r'\n(?=")', dump):
        if header := re.match(r'"(.*)" #\d+', block):
            frames = re.findall(r"^\s+at (.*?)\(", block, re.M)
            found.append(Thread(header[1], tuple(frames)))
    return found


def threads(process: int) -> list[Thread]:
    """The threads of a JVM; none if it has just ended."""
    done = subprocess.run(["jcmd", str(process), "Thread.print"], capture_output=True, text=True, check=False)
    return threads_in(done.stdout)


class Threads:
    """The threads of a cluster, compared with those at the beginning."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._before = self._now()

    def _now(self) -> dict[str, list[list[Thread]]]:
        driver = driver_of(self._spark)
        executors = set(block_folders(self._spark)) - {driver}
        return {"driver": [threads(driver)], "executor": [threads(process) for process in executors]}

    def left(self, seconds: float = 10) -> list[str]:
        return settled(self._left, lambda left: not left, seconds)

    def _left(self) -> list[str]:
        return [
            f"{role}: {name}"
            for role, jvms in self._now().items()
            for found in jvms
            for name in left_of(self._before[role], found)
        ]


def left_of(before: Iterable[Iterable[Thread]], found: Sequence[Thread]) -> list[str]:
    """The threads that run Slidewise, and those without an owner that no JVM had so many of before."""
    known: Counter[str] = Counter()
    for jvm in before:
        known |= Counter(thread.kind for thread in jvm)
    more = Counter(thread.kind for thread in found if thread.has_no_owner) - known
    return [thread.name for thread in found if thread.runs_slidewise] + sorted(more.elements())


def driver_of(spark: SparkSession) -> int:
    return int(spark._jvm.java.lang.ProcessHandle.current().pid())


def block_folders(spark: SparkSession) -> dict[int, list[Path]]:
    """Where each living executor keeps its blocks, by its process."""

    def here(_: Iterable[int]) -> list[tuple[int, str]]:
        time.sleep(0.2)  # so that each executor takes one
        daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
        return [(int(daemon.rsplit(")", 1)[1].split()[1]), os.environ["SPARK_LOCAL_DIRS"])]

    # Of the driver too, which has no blocks of tasks in a cluster.
    managers = spark._jsc.sc().getExecutorMemoryStatus().size
    tasks = spark.sparkContext.parallelize(range(8), 8).mapPartitions(here)
    found = settled(lambda: dict(tasks.collect()), lambda found: len(found) >= max(1, managers() - 1), seconds=60)
    return {process: [Path(folder) for folder in folders.split(",")] for process, folders in found.items()}


def blocks_left(spark: SparkSession, seconds: float = 10) -> list[str]:
    """Files of tasks that have ended: spilled rows, and any that Spark does not keep for later stages.

    Those of a killed executor are not among them: Spark deletes its folder when the application ends.
    """
    folders = [folder for of_one in block_folders(spark).values() for folder in of_one]

    def left() -> list[str]:
        return [str(path) for path in files(folders) if not _KEPT.match(path.name)]

    return settled(left, lambda found: not found, seconds)


def files_left(folders: Iterable[Path]) -> list[str]:
    """Files that a session left behind when it ended."""
    return [str(path) for path in files(folders) if not _UNPACKED.search(str(path))]


def files(folders: Iterable[Path]) -> list[Path]:
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


def settled(ask: Callable[[], A], enough: Callable[[A], bool], seconds: float) -> A:
    """The first answer that is enough, or the last one."""
    deadline = time.monotonic() + seconds
    while not enough(answer := ask()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return answer
