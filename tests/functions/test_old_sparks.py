"""What Spark 3.5 lacks is refused in words that name the Spark versions that have it."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from sparks import SPARK

import slidewise
import slidewise.functions as sw

pytestmark = pytest.mark.skipif(SPARK >= (4, 0), reason="this Spark has these features")


def test_windows_over_streams(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load().withWatermark("timestamp", "1 minute")
    with pytest.raises(PySparkException, match=r"Spark 4\.0 and later, and this is Spark 3\.5"):
        stream.selectExpr("sum(value) OVER (PARTITION BY value ORDER BY timestamp ROWS 2 PRECEDING)")


def test_an_order_of_its_own(spark: SparkSession) -> None:
    with pytest.raises(slidewise.UnsupportedFeatureError) as caught:
        sw.ewma("x", 0.5, order_by="t")
    assert str(caught.value) == (
        f"this is Spark {spark.version}, but order_by of ewma, the WITHIN GROUP of SQL, needs Spark 4.0 or later"
    )
