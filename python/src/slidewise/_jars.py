"""The jars in this package, one for each supported Spark minor version."""

from __future__ import annotations

import os
import re
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

_PACKAGE = Path(__file__).parent

__version__ = (_PACKAGE / "VERSION").read_text(encoding="utf-8").strip()


class UnsupportedSparkError(ValueError):
    """This package has no jar for the Spark version."""


def _jars() -> dict[str, Path]:
    name = re.compile(rf"slidewise-spark-(\d+\.\d+)_2\.13-{re.escape(__version__)}\.jar")
    found = ((name.fullmatch(path.name), path) for path in (_PACKAGE / "jars").glob("*.jar"))
    return {match[1]: path for match, path in found if match}


def supported_versions() -> list[str]:
    """The Spark minor versions that this package has a jar for.

    >>> supported_versions()
    ['4.2', '4.3']
    """
    return sorted(_jars(), key=lambda minor: tuple(map(int, minor.split("."))))


def jar_path(spark_version: str | None = None) -> str:
    """The path of the jar for a Spark version, by default the version that PySpark starts.

    >>> jar_path("4.3.0").rsplit("/", 1)[-1].startswith("slidewise-spark-4.3_2.13-")
    True
    >>> jar_path("3.5.1")
    Traceback (most recent call last):
      ...
    slidewise._jars.UnsupportedSparkError: Spark 3.5.1 is not supported: Slidewise runs on Spark 4.2 and 4.3
    """
    wanted = spark_version if spark_version is not None else running_version()
    match = re.match(r"(\d+\.\d+)(?!\d)", wanted)
    if not match:
        raise ValueError(f"spark_version is {wanted!r}, but must begin with major.minor, as in '4.3.0'")
    path = _jars().get(match[1])
    if path is None:
        raise UnsupportedSparkError(f"Spark {wanted} is not supported: {supported_sentence()}")
    return str(path)


def supported_sentence() -> str:
    """The supported versions, as a sentence for error messages."""
    versions = supported_versions()
    if not versions:
        return f"{_PACKAGE / 'jars'} holds no jar; reinstall the package, or run `make jars` in a checkout"
    return f"Slidewise runs on Spark {' and '.join(versions)}"


def running_version() -> str:
    """The version of the Spark that PySpark starts: with SPARK_HOME set, not necessarily PySpark's own."""
    versions = [
        match[1]
        for path in _spark_jars().glob("spark-core_*.jar")
        if (match := re.fullmatch(r"spark-core_2\.13-(\d+\.\d+.*)\.jar", path.name))
    ]
    if versions:
        return versions[0]
    try:
        return version("pyspark")
    except PackageNotFoundError as error:
        raise ValueError(
            "PySpark is not installed, and SPARK_HOME names no Spark: pass a version, as in spark_version='4.3.0'"
        ) from error


def _spark_jars() -> Path:
    if "SPARK_HOME" in os.environ:
        return Path(os.environ["SPARK_HOME"]) / "jars"
    spec = find_spec("pyspark")
    return Path((spec.submodule_search_locations or ["."])[0] if spec else ".") / "jars"
