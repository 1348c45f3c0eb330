"""The jars in this package, one for each supported Spark minor version and Scala version."""

from __future__ import annotations

import re
from pathlib import Path

from slidewise import _running
from slidewise._versions import is_since, minor_of

_PACKAGE = Path(__file__).parent

__version__ = (_PACKAGE / "VERSION").read_text(encoding="utf-8").strip()


class UnsupportedSparkError(ValueError):
    """This package has no jar for the Spark version, or none for its Scala version."""


def _jars() -> dict[tuple[str, str], Path]:
    """The jars by Spark minor and Scala version, in ascending order."""
    name = re.compile(rf"slidewise-spark-(\d+\.\d+)_(\d+\.\d+)-{re.escape(__version__)}\.jar")
    found = ((name.fullmatch(path.name), path) for path in (_PACKAGE / "jars").glob("*.jar"))
    jars = {(match[1], match[2]): path for match, path in found if match}
    return dict(sorted(jars.items(), key=lambda jar: [minor_of(version) for version in jar[0]]))


def supported_versions() -> list[str]:
    """The Spark minor versions that this package has a jar for.

    >>> supported_versions()
    ['3.5', '4.0', '4.1', '4.2', '4.3']
    """
    return list(dict.fromkeys(minor for minor, _ in _jars()))


def supported_scala_versions(spark_version: str) -> list[str]:
    """The Scala versions that this package has a jar for, of one Spark version.

    >>> supported_scala_versions("3.5.8")
    ['2.12', '2.13']
    """
    minor = _minor("spark_version", spark_version)
    return [scala for spark, scala in _jars() if spark == minor]


def jar_path(spark_version: str | None = None, scala_version: str | None = None) -> str:
    """The path of the jar for a Spark version and its Scala version.

    By default, the versions of the Spark that runs in this process or that PySpark starts. For a given Spark version,
    the default Scala version is that of the PySpark on PyPI: 2.12 for Spark 3.5, and 2.13 for later versions.

    >>> jar_path("4.3.0").rsplit("/", 1)[-1].startswith("slidewise-spark-4.3_2.13-")
    True
    >>> jar_path("3.4.1")
    Traceback (most recent call last):
      ...
    slidewise._jars.UnsupportedSparkError: Spark 3.4.1 is not supported: Slidewise runs on Spark 3.5, 4.0, 4.1, 4.2, 4.3
    """
    if spark_version is None:
        running = _running.spark()
        spark_version, scala_version = running.version, scala_version or running.scala
    minor = _minor("spark_version", spark_version)
    scala = _minor("scala_version", scala_version) if scala_version else default_scala_version(minor)
    jars = _jars()
    if (minor, scala) in jars:
        return str(jars[minor, scala])
    scalas = [known for spark, known in jars if spark == minor]
    if scalas:
        raise UnsupportedSparkError(
            f"Spark {spark_version} with Scala {scala} is not supported: on Spark {minor}, Slidewise runs with Scala "
            f"{', '.join(scalas)}"
        )
    raise UnsupportedSparkError(f"Spark {spark_version} is not supported: {supported_sentence()}")


def default_scala_version(minor: str) -> str:
    """The Scala version of the PySpark on PyPI."""
    return "2.13" if is_since("4.0", minor) else "2.12"


def supported_sentence() -> str:
    """The supported versions, as a sentence for error messages."""
    versions = supported_versions()
    if not versions:
        return f"{_PACKAGE / 'jars'} holds no jar; reinstall the package, or run `make jars` in a checkout"
    return f"Slidewise runs on Spark {', '.join(versions)}"


def _minor(argument: str, given: str) -> str:
    return ".".join(map(str, minor_of(given, argument)))
