"""Sliding-window aggregation for Apache Spark with a constant number of steps per row.

>>> import slidewise
>>> from pyspark.sql import SparkSession
>>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
>>> slidewise.install(spark)  # already on
False
"""

from typing import TYPE_CHECKING, Any

from slidewise._aggregates.aggregator import Aggregator
from slidewise._configure import configure
from slidewise._doctor import Diagnosis, Finding, doctor
from slidewise._explain import explain
from slidewise._features import UnsupportedFeatureError
from slidewise._install import NotInstalledError, install
from slidewise._jars import (
    UnsupportedSparkError,
    __version__,
    jar_path,
    supported_scala_versions,
    supported_versions,
)
from slidewise._plot import Picture, plot
from slidewise._refresh import Refresh, RefreshConflictError, Refreshed, changes_since, refresh
from slidewise._udaf import register, udaf

if TYPE_CHECKING:
    from slidewise._joins import asof_join, window_join

__all__ = [
    "Aggregator",
    "Diagnosis",
    "Finding",
    "NotInstalledError",
    "Picture",
    "Refresh",
    "RefreshConflictError",
    "Refreshed",
    "UnsupportedFeatureError",
    "UnsupportedSparkError",
    "__version__",
    "asof_join",
    "changes_since",
    "configure",
    "doctor",
    "explain",
    "install",
    "jar_path",
    "plot",
    "refresh",
    "register",
    "supported_scala_versions",
    "supported_versions",
    "udaf",
    "window_join",
]

_JOINS = ("asof_join", "window_join")


def __getattr__(name: str) -> Any:
    """Loads joins when they are first used: they import pyspark.sql, which `slidewise.doctor` must do without."""
    if name not in _JOINS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from slidewise import _joins

    return getattr(_joins, name)
