"""What a query ends in: its rows, or all that its error says."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from session import settings
from sparks import condition_of

OFF = {"spark.slidewise.enabled": "false"}


def outcome(spark: SparkSession, sql: str, **changes: str) -> Any:
    """The rows in any order, or the condition, the parameters and the query context of the error.

    Keywords are settings, with `_` for `.` after `spark.`
    """
    with settings(spark, {f"spark.{key.replace('_', '.')}": value for key, value in changes.items()}):
        try:
            return sorted(repr(tuple(row)) for row in spark.sql(sql).collect())
        except PySparkException as error:
            context = getattr(error, "getQueryContext", list)()
            parameters = error.getMessageParameters() if hasattr(error, "getMessageParameters") else None
            return condition_of(error), parameters, [part.fragment() for part in context]
        except Py4JJavaError as error:
            cause = error.java_exception
            while cause.getCause() is not None:
                cause = cause.getCause()
            return cause.getClass().getName(), cause.getMessage()
