"""A quiet local session for the command line, and Spark's errors as messages."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

import slidewise

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG4J = Path(__file__).parent / "log4j2.properties"
# PySpark logs each error of a query, besides raising it.
_LOGGERS_OF_ERRORS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextmanager
def session(master: str = "local[*]") -> Iterator[SparkSession]:
    """A session with Slidewise on, stopped at the end, whose errors end the command with their message."""
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise click.ClickException("PySpark is not installed: pip install 'slidewise[spark]'") from error
    for name in _LOGGERS_OF_ERRORS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    builder = (
        SparkSession.builder.master(master)
        .appName("slidewise")
        .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={_LOG4J.as_uri()}")
        .config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
    )
    with plain_errors():
        spark = slidewise.configure(builder).getOrCreate()
        try:
            yield spark
        finally:
            spark.stop()


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turns an error of Spark into its message alone."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError, slidewise.NotInstalledError) as error:
        raise click.ClickException(message_of(error)) from error


def message_of(error: Exception) -> str:
    """The message of an error of Spark, without its plan, its stack and its Java classes.

    >>> message_of(ValueError("[NO_SUCH_COLUMN] No column `x`. SQLSTATE: 42703; line 1 pos 7;\\n'Project ['x]"))
    '[NO_SUCH_COLUMN] No column `x`. SQLSTATE: 42703; line 1 pos 7'
    """
    java = getattr(error, "java_exception", None)
    while java is not None and java.getCause() is not None:
        java = java.getCause()
    text = str(java.getMessage() if java is not None else error)
    before_stack = re.split(r"\n\s*(?:at |JVM stacktrace|Driver stacktrace)|\n(?='|\+-)", text)[0]
    return re.sub(r"^(?:[a-z]\w*\.)+[A-Z]\w*: ", "", before_stack).rstrip().removesuffix(";")
