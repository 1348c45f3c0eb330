"""The features that the oldest supported Spark versions lack."""

from __future__ import annotations

from typing import Any

from slidewise._install import is_connect
from slidewise._versions import is_since


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


def require_classic(of: Any, call: str) -> None:
    """Refuses a session or a DataFrame of Spark Connect.

    >>> require_classic(None, "slidewise.refresh")
    """
    if is_connect(of):
        raise UnsupportedFeatureError(
            f"{call} needs a session of Spark's own engine, and this is Spark Connect: run it in a job of the cluster"
        )
