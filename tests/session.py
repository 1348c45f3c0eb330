"""Sessions to test in, and the jar under test."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

EXTENSIONS = "org.slidewise.spark.SlidewiseExtensions"


def slidewise_jar() -> Path:
    """The jar that fits the Spark that runs: the installed package's, or else the one built in this tree."""
    try:
        from slidewise import jar_path
    except ImportError:
        minor = ".".join(pyspark.__version__.split(".")[:2])
        built = Path(__file__).parents[1] / "python" / "src" / "slidewise" / "jars"
        found = sorted(built.glob(f"slidewise-spark-{minor}_*.jar"))
        assert found, f"no jar of Slidewise for Spark {minor} in {built}: build it first"
        return found[-1]
    return Path(jar_path())


def missing_minors() -> list[str]:
    """The Spark minors that this tree has sources for and no jar stands beside the one under test."""
    shims = Path(__file__).parents[1] / "jvm" / "spark" / "shims"
    minors = (folder.name for folder in shims.iterdir() if re.fullmatch(r"\d+\.\d+", folder.name))
    return sorted(minor for minor in minors if not list(slidewise_jar().parent.glob(f"slidewise-spark-{minor}_*.jar")))


def with_slidewise(builder: SparkSession.Builder) -> SparkSession.Builder:
    if os.environ.get("SLIDEWISE_ABSENT") == "1":
        return builder
    try:
        from slidewise import configure
    except ImportError:
        return builder.config("spark.jars", str(slidewise_jar())).config("spark.sql.extensions", EXTENSIONS)
    return configure(builder)


def local_session(folder: Path) -> SparkSession:
    """A session with Slidewise; a leak of execution memory fails the task that leaks."""
    session = with_slidewise(
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.extraJavaOptions", f"-XX:ErrorFile={folder}/crash.log")
        .config("spark.local.dir", str(folder / "local"))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.unsafe.exceptionOnMemoryLeak", "true")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.debug.maxToStringFields", "100000")
        .config("spark.sql.maxPlanStringLength", "10000000")
    ).getOrCreate()
    session.sparkContext.setLogLevel(os.environ.get("SLIDEWISE_LOG", "OFF"))
    return session
