"""Switches Slidewise on in a session builder."""

from __future__ import annotations

import logging
import os
from typing import Any, TypeVar

from slidewise import _running, _settings
from slidewise._install import is_on
from slidewise._jars import jar_path

EXTENSION = "org.slidewise.spark.SlidewiseExtensions"

_log = logging.getLogger("slidewise")


Builder = TypeVar("Builder")


def configure(builder: Builder) -> Builder:
    """Adds Slidewise's jar and session extension to the builder and returns the builder.

    Keeps jars, packages and extensions set on the builder, in PYSPARK_SUBMIT_ARGS or in spark-defaults.conf. Call it
    last, just before `getOrCreate()`: a later setting of `spark.jars` or `spark.sql.extensions` replaces its entries.

    On an unsupported Spark version, returns the builder unchanged and logs a warning with the supported versions. Also
    returns a builder for a remote server (`sc://…`) unchanged: the server's own configuration decides, and `install`
    checks it.

    Logs a warning for a setting under `spark.slidewise.` that does not exist, with the nearest one that does.

    >>> from pyspark.sql import SparkSession
    >>> builder = SparkSession.builder.appName("mine").config("spark.sql.extensions", "com.mine.Extensions")
    >>> configure(builder)._options["spark.sql.extensions"]
    'com.mine.Extensions,org.slidewise.spark.SlidewiseExtensions'
    """
    if not isinstance(getattr(builder, "_options", None), dict):
        raise TypeError(f"builder is {builder!r}, but must be a session's builder: SparkSession.builder")
    _configure(builder)
    return builder


def _configure(builder: Any) -> None:
    options: dict[str, Any] = builder._options
    if str(options.get("spark.remote", os.environ.get("SPARK_REMOTE", ""))).startswith("sc://"):
        _log.info("the builder connects to a Spark Connect server, whose configuration decides whether Slidewise is on")
        return
    try:
        jar = jar_path()
    except ValueError as error:
        _log.warning("Slidewise stays off: %s", error)
        return
    _warn_of_a_running_session()
    _warn_of_unknown_settings(options)
    if not _add_jar(builder, options, jar):
        return
    extensions = options.get("spark.sql.extensions") or _settings.elsewhere("spark.sql.extensions")
    builder.config("spark.sql.extensions", _settings.append(extensions, EXTENSION))


def _add_jar(builder: Any, options: dict[str, Any], jar: str) -> bool:
    on_builder = options.get("spark.jars")
    others = on_builder or _settings.elsewhere("spark.jars")
    jvm = _running.jvm()
    if jvm is not None:
        if not _add_to_class_path(jvm, jar):
            return False
    elif _settings.submits_jars() or options.get("spark.jars.packages"):
        # spark.jars on the builder hides jars that spark-submit resolves for packages from the executors, and --jars
        # hides the builder's jars from the driver. Hence --jars, and both options if both are set.
        _settings.submit_jar(jar, beside=others)
        if not on_builder:
            return True
    builder.config("spark.jars", _settings.append_jar(others, jar))
    return True


def _add_to_class_path(jvm: Any, jar: str) -> bool:
    """Adds the jar to the class loader of a running driver, which no longer reads spark.jars."""
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    url = jvm.java.io.File(jar).toURI().toURL()
    try:
        loader.addURL(url)
    except Exception as error:
        _log.warning(
            "Slidewise stays off: the class loader of the running driver accepts no jar (%s); start the driver with "
            "--jars %s",
            type(error).__name__,
            jar,
        )
        return False
    return True


def _warn_of_unknown_settings(options: dict[str, Any]) -> None:
    for key, nearest in _settings.unknown({*options, *_settings.elsewhere_keys()}).items():
        _log.warning("the setting %s is unknown and has no effect; the nearest known setting is %s", key, nearest)


def _warn_of_a_running_session() -> None:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context = SparkContext._active_spark_context
    if context is None or EXTENSION in (context.getConf().get("spark.sql.extensions") or ""):
        return
    session = SparkSession._instantiatedSession
    if session is None or not is_on(session):
        _log.warning(
            "a Spark session is already running, and getOrCreate() returns it unchanged: call "
            "slidewise.install(spark) to switch Slidewise on in it"
        )
