"""The local session of the command line, and the errors of Spark as messages."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

import slidewise
from slidewise._messages import message_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG4J = Path(__file__).parent / "log4j2.properties"
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
_DEFAULTS = {
    "spark.master": "local[*]",
    "spark.app.name": "slidewise",
    "spark.driver.memory": "2g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
}
# PySpark logs each error of a query, besides raising it.
_LOGGERS_OF_ERRORS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def settings(given: Mapping[str, str]) -> dict[str, str]:
    """The settings of the session: the given ones over the defaults, and the Java options of both. Of a
    session at a Spark Connect server, the given ones.

    >>> settings({"spark.master": "local[2]"})["spark.master"]
    'local[2]'
    >>> settings({"spark.driver.extraJavaOptions": "-Xss4m"})["spark.driver.extraJavaOptions"].startswith("-Xss4m -D")
    True
    """
    if "spark.remote" in given:  # the server has its own
        return dict(given)
    java_options = f"{given.get(_JAVA_OPTIONS, '')} -Dlog4j2.configurationFile={_LOG4J.as_uri()}".strip()
    return {**_DEFAULTS, **given, _JAVA_OPTIONS: java_options}


@contextmanager
def session(given: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """A session with Slidewise on and the given settings. It stops at the end. An error of Spark ends the command with
    the error's message."""
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise click.ClickException("PySpark is not installed: pip install 'pyspark>=3.5,<4.4'") from error
    for name in _LOGGERS_OF_ERRORS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    # A Python on the PATH of another version than this one cannot be Spark's worker.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    for key, value in settings(given or {}).items():
        builder = builder.config(key, value)
    with plain_errors():
        spark = slidewise.configure(builder).getOrCreate()
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, _interrupt)
        try:
            yield spark
        except KeyboardInterrupt:
            _cancel(spark)
            raise
        finally:
            spark.stop()


interrupted = threading.Event()
"""Set once the command has been interrupted: what fails from then on is no error."""


def _interrupt(signum: int, frame: object) -> NoReturn:
    """Replaces Spark's handler, which cancels the jobs while they still log their failure."""
    interrupted.set()
    logging.disable(logging.CRITICAL)  # Py4J logs a traceback for each call that it was in
    raise KeyboardInterrupt


def _cancel(spark: SparkSession) -> None:
    """Stops streaming queries and jobs. Their failures are not logged."""
    for _ in range(2):  # the first may fail: its connection to the JVM has been interrupted
        with suppress(Exception):
            spark.sparkContext.setLogLevel("OFF")
    with suppress(Exception):  # the session ends in any case
        for query in spark.streams.active:
            query.stop()
        spark.sparkContext.cancelAllJobs()


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raises an error of Spark as a `ClickException` with the error's message."""
    from pyspark.errors import PySparkException

    raised: tuple[type[Exception], ...] = (PySparkException, slidewise.NotInstalledError)
    with suppress(ImportError):  # PySpark for Spark Connect alone brings no py4j
        from py4j.protocol import Py4JJavaError

        raised = (*raised, Py4JJavaError)
    try:
        yield
    except raised as error:
        raise click.ClickException(message_of(error)) from error
