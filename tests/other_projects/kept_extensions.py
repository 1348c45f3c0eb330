"""A plugin of pytest: a suite that names extensions of its own keeps those of `spark-defaults.conf` beside them."""

import os
from typing import Any

from pyspark import SparkConf

_EXTENSIONS = "spark.sql.extensions"
_set = SparkConf.set


def _keeping(conf: SparkConf, key: str, value: Any) -> SparkConf:
    return _set(conf, key, f"{os.environ['KEPT_EXTENSIONS']},{value}" if key == _EXTENSIONS else value)


SparkConf.set = _keeping  # type: ignore[method-assign]
