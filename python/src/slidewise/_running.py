"""The Spark that runs in this process, or that PySpark starts: its version and its Scala version."""

from __future__ import annotations

import io
import os
import re
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, NamedTuple


class Spark(NamedTuple):
    version: str
    scala: str | None
    """As in `2.13`; None if unknown."""


def spark() -> Spark:
    """Asks the running JVM first, then the jars of the Spark that PySpark starts, then the version of PySpark.

    With SPARK_HOME set, PySpark starts the Spark there, which may have another version than PySpark.
    """
    return _in_jvm() or _in_jars() or _installed()


def scala_of(jvm: Any) -> str:
    """The Scala version of a running JVM, as in `2.13`."""
    return ".".join(str(jvm.scala.util.Properties.versionNumberString()).split(".")[:2])


def jvm() -> Any:
    """The JVM of this process if it is running. A running JVM takes no more launch settings."""
    from pyspark import SparkContext

    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" in os.environ:
        SparkContext._ensure_initialized()
    return SparkContext._jvm if SparkContext._gateway is not None else None


def _in_jvm() -> Spark | None:
    try:
        running = jvm()
    except ImportError:  # no PySpark, or the one for Spark Connect alone
        return None
    if running is None:
        return None
    return Spark(str(running.org.apache.spark.package.SPARK_VERSION()), scala_of(running))


def home() -> Path | None:
    """The folder of the Spark that PySpark starts, or None if there is none."""
    if "SPARK_HOME" in os.environ:
        return Path(os.environ["SPARK_HOME"])
    try:
        from pyspark.find_spark_home import _find_spark_home

        with redirect_stderr(io.StringIO()):
            return Path(_find_spark_home())
    except (ImportError, SystemExit):  # no PySpark, or the one for Spark Connect alone
        return None


def _in_jars() -> Spark | None:
    for path in (path for folder in _jar_folders() for path in folder.glob("spark-core_*.jar")):
        name = re.fullmatch(r"spark-core_(\d+\.\d+)-(\d+\.\d+.*)\.jar", path.name)
        if name and not name[2].endswith("-tests"):
            return Spark(name[2], name[1])
    return None


def _jar_folders() -> list[Path]:
    """Where a distribution has its jars, and where a build of Spark's sources has them."""
    folder = home()
    if folder is None:
        return []
    scala = os.environ.get("SPARK_SCALA_VERSION", "*")
    return [folder / "jars", *sorted(folder.glob(f"assembly/target/scala-{scala}/jars"))]


def _installed() -> Spark:
    try:
        import pyspark
    except ImportError as error:
        raise ValueError(
            "PySpark is not installed, and SPARK_HOME names no Spark: pass a version, as in spark_version='4.3.0'"
        ) from error
    return Spark(pyspark.__version__, None)
