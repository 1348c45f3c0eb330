"""Which window expressions of a query Slidewise runs, and why it does not run the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from slidewise import _reports
from slidewise._install import NotInstalledError, call, is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SCHEMA = "sql string, slidewise boolean, algorithm string, reason string"


def explain(df: DataFrame) -> DataFrame:
    """A row for each window expression of a query: its SQL, whether Slidewise runs it, with which algorithm, and
    the reason when it does not.

    >>> import slidewise
    >>> from pyspark.sql import SparkSession
    >>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    >>> _ = slidewise.install(spark)
    >>> df = spark.sql("SELECT sum(id) OVER (ORDER BY id ROWS 9 PRECEDING) FROM range(100)")
    >>> [row.slidewise for row in slidewise.explain(df).collect()]
    [True]
    """
    spark: Any = df.sparkSession
    if is_connect(df):
        reports = _reports.of(df)
        if reports is None:
            raise NotInstalledError(
                "the Spark Connect server does not have Slidewise on: slidewise.install(spark) says how to start it"
            )
    else:
        reports = json.loads(call(spark, "explainJson", df._jdf))
    rows = [(r["sql"], r["slidewise"], r["algorithm"], r["reason"]) for r in reports]
    result: DataFrame = spark.createDataFrame(rows, _SCHEMA)
    return result
