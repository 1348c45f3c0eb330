"""The pandas API on Spark, which needs versions of pandas and PyArrow that its Spark knows."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest


def skip_without_pandas_api(program: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """Skips the running test where pandas or PyArrow is missing, or of a version that this Spark cannot use."""
    tried = program("import pyspark.pandas as ps; ps.DataFrame")
    if tried.returncode != 0:
        pytest.skip(f"no pandas API on this Spark: {tried.stderr.strip().splitlines()[-1]}")
