"""The features that the oldest supported Spark versions lack."""

from __future__ import annotations

import re


class UnsupportedFeatureError(RuntimeError):
    """The Spark version lacks a feature that the call needs."""


def require_spark(since: str, version: str, feature: str) -> None:
    """Refuses a feature on an older Spark.

    >>> require_spark("4.0", "3.5.9", "`order_by`")
    Traceback (most recent call last):
      ...
    slidewise._features.UnsupportedFeatureError: this is Spark 3.5.9, but `order_by` needs Spark 4.0 or later
    """
    if not is_since(since, version):
        raise UnsupportedFeatureError(f"this is Spark {version}, but {feature} needs Spark {since} or later")


def is_since(since: str, version: str) -> bool:
    """Whether a Spark version is at least the given minor.

    >>> is_since("4.0", "4.0.0-SNAPSHOT"), is_since("4.0", "3.5.9"), is_since("4.2", "4.10")
    (True, False, True)
    """
    return _minor(version) >= _minor(since)


def _minor(version: str) -> list[int]:
    match = re.match(r"(\d+)\.(\d+)", version)
    if not match:
        raise ValueError(f"version is {version!r}, but must begin with major.minor, as in '4.3.0'")
    return [int(number) for number in match.groups()]
