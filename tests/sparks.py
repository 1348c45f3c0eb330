"""What differs between the Spark versions that the tests run on."""

from __future__ import annotations

import pyspark
import pytest
from pyspark.errors import PySparkException


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


SPARK = _minor(pyspark.__version__)


def needs_spark(since: str, reason: str) -> pytest.MarkDecorator:
    """Skips a test on an older Spark; the reason says what that Spark lacks."""
    return pytest.mark.skipif(_minor(since) > SPARK, reason=f"before Spark {since}: {reason}")


needs_collations = needs_spark("4.0", "no collations")
needs_connect_server = needs_spark("4.0", "PySpark carries no Spark Connect server")
needs_listagg = needs_spark("4.0", "no listagg")
needs_streams = needs_spark("4.0", "Slidewise runs no windows over streams")
needs_within_group = needs_spark("4.0", "no WITHIN GROUP for any function")


def condition_of(error: PySparkException) -> str | None:
    """The error class, which PySpark 3.5 calls by its older name."""
    return error.getCondition() if SPARK >= (4, 0) else error.getErrorClass()
