"""The Spark that runs in this process, or that PySpark starts: its version and its Scala version."""

from __future__ import annotations

import os
import re
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple


class Spark(NamedTuple):
    version: str
    scala: str | None
    """As in `2.13`; None if unknown."""


def spark() -> Spark:
    """Asks the running JVM first, then the jars of SPARK_HOME or of PySpark, then the version of the package pyspark.

    With SPARK_HOME set, PySpark starts the Spark there, which may have another version than the package pyspark.
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


def _in_jars() -> Spark | None:
    for path in _jars_folder().glob("spark-core_*.jar"):
        name = re.fullmatch(r"spark-core_(\d+\.\d+)-(\d+\.\d+.*)\.jar", path.name)
        if name:
            return Spark(name[2], name[1])
    return None


def _jars_folder() -> Path:
    if "SPARK_HOME" in os.environ:
        return Path(os.environ["SPARK_HOME"]) / "jars"
    spec = find_spec("pyspark")
    return Path((spec.submodule_search_locations or ["."])[0] if spec else ".") / "jars"


def _installed() -> Spark:
    try:
        return Spark(version("pyspark"), None)
    except PackageNotFoundError as error:
        raise ValueError(
            "PySpark is not installed, and SPARK_HOME names no Spark: pass a version, as in spark_version='4.3.0'"
        ) from error
