"""Sliding-window aggregation for Apache Spark with a constant number of steps per row.

>>> import slidewise
>>> from pyspark.sql import SparkSession
>>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
>>> slidewise.install(spark)  # already on
False
"""

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
from slidewise._joins import asof_join, window_join
from slidewise._plot import Picture, plot
from slidewise._udaf import register, udaf

__all__ = [
    "Aggregator",
    "Diagnosis",
    "Finding",
    "NotInstalledError",
    "Picture",
    "UnsupportedFeatureError",
    "UnsupportedSparkError",
    "__version__",
    "asof_join",
    "configure",
    "doctor",
    "explain",
    "install",
    "jar_path",
    "plot",
    "register",
    "supported_scala_versions",
    "supported_versions",
    "udaf",
    "window_join",
]
