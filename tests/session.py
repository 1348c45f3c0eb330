"""Sessions to test in, and the jar under test."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from sparks import SPARK

import slidewise

EXTENSIONS = "org.slidewise.spark.SlidewiseExtensions"

# On local disk, Spark's default starts four processes for each file of a checkpoint, to look for symbolic links.
# test_kills.py tests the default.
_CHECKPOINTING = "org.apache.spark.sql.execution.streaming" + (".checkpointing" if SPARK >= (4, 1) else "")
CHECKPOINT_FILES = f"{_CHECKPOINTING}.FileSystemBasedCheckpointFileManager"


def slidewise_jar() -> Path:
    """The jar that fits the Spark that runs."""
    return Path(slidewise.jar_path())


def missing_jars() -> list[str]:
    """The jars that this tree builds and the package lacks."""
    builds = runpy.run_path(str(Path(__file__).parents[1] / "build" / "spark_builds.py"))["spark_builds"]()
    names = [build.jar(slidewise.__version__) for build in builds]
    return [name for name in names if not (Path(slidewise.__file__).parent / "jars" / name).is_file()]


def with_slidewise(builder: SparkSession.Builder) -> SparkSession.Builder:
    return builder if os.environ.get("SLIDEWISE_ABSENT") == "1" else slidewise.configure(builder)


def local_session(folder: Path, settings: Mapping[str, str] | None = None) -> SparkSession:
    """A session with Slidewise. A leak of execution memory fails its task, and freed memory is overwritten."""
    builder = with_slidewise(
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.extraJavaOptions", f"-XX:ErrorFile={folder}/crash.log -Dspark.memory.debugFill=true")
        .config("spark.local.dir", str(folder / "local"))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.unsafe.exceptionOnMemoryLeak", "true")
        # The default since Spark 4.0.
        .config("spark.sql.ansi.enabled", "true")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.streaming.checkpointFileManagerClass", CHECKPOINT_FILES)
        # Any free port, for the server of `connect_server`.
        .config("spark.connect.grpc.binding.port", "0")
        .config("spark.sql.debug.maxToStringFields", "100000")
        .config("spark.sql.maxPlanStringLength", "10000000")
    )
    for key, value in (settings or {}).items():
        builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel(os.environ.get("SLIDEWISE_LOG", "OFF"))
    return session


def running_tasks(spark: SparkSession) -> int:
    """How many tasks executors run, those of cancelled jobs too."""
    return sum(executor.numRunningTasks() for executor in spark._jsc.statusTracker().getExecutorInfos())


@contextmanager
def settings(spark: SparkSession, changes: Mapping[str, Any]) -> Iterator[None]:
    """Sets the session's settings for a while."""
    before = {key: spark.conf.get(key, None) for key in changes}
    for key, value in changes.items():
        spark.conf.set(key, str(value))
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)


def run_on_connect(code: str, server: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program in a process that has no Spark of its own; its argument is the server's address."""
    return subprocess.run(
        [sys.executable, "-c", code, server],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
