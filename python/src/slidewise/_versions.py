"""Versions of Spark and Scala, of which the first two numbers count."""

from __future__ import annotations

import re


def minor_of(version: str, argument: str = "version") -> tuple[int, int]:
    """The major and the minor number. An error names the argument that holds the version.

    >>> minor_of("4.10.0-SNAPSHOT") > minor_of("4.9")
    True
    >>> minor_of("4", "spark_version")
    Traceback (most recent call last):
      ...
    ValueError: spark_version is '4', but must begin with major.minor, as in '4.3.0'
    """
    match = re.match(r"(\d+)\.(\d+)", version)
    if not match:
        example = "2.13" if argument == "scala_version" else "4.3.0"
        raise ValueError(f"{argument} is {version!r}, but must begin with major.minor, as in {example!r}")
    return int(match[1]), int(match[2])


def is_since(since: str, version: str) -> bool:
    """Whether a version is at least the given minor.

    >>> is_since("4.0", "4.0.0-SNAPSHOT"), is_since("4.0", "3.5.9"), is_since("4.2", "4.10")
    (True, False, True)
    """
    return minor_of(version) >= minor_of(since)
