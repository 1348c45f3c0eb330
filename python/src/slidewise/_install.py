"""Switching Slidewise on in a session that runs already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slidewise import _reports
from slidewise._jars import jar_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ENTRY = "org.slidewise.spark.Slidewise"


class NotInstalledError(RuntimeError):
    """The session does not have Slidewise on."""


def install(spark: SparkSession) -> bool:
    """Switches Slidewise on in a running session; returns False when it was on already.

    On Spark Connect the session extensions belong to the server: there, this only checks that the server has
    Slidewise on, and says what to start it with when it has not.

    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.master("local[1]").getOrCreate()
    >>> newly_on = install(spark)
    >>> install(spark)
    False
    """
    if is_connect(spark):
        if not _reports.of(_probe(spark)):
            raise NotInstalledError(
                "the Spark Connect server does not have Slidewise on, and a client cannot switch it on: start the "
                f"server with --jars {_jar_for(spark)} and "
                "--conf spark.sql.extensions=org.slidewise.spark.SlidewiseExtensions"
            )
        return False
    if entry(spark) is None:
        path = _jar_for(spark).replace("'", "\\'")
        spark.sql(f"ADD JAR '{path}'")
    return bool(call(spark, "install", spark._jsparkSession))


def is_connect(spark: Any) -> bool:
    """Whether a session or a DataFrame is of Spark Connect."""
    return ".connect." in type(spark).__module__


def entry(spark: SparkSession) -> Any | None:
    """The Java class through which Slidewise is spoken to, or None where its jar is not on the class path."""
    loader = spark._jsparkSession.sharedState().jarClassLoader()
    try:
        return loader.loadClass(_ENTRY)
    except Exception as error:
        if "ClassNotFoundException" in str(error):
            return None
        raise


def call(spark: SparkSession, method: str, argument: Any) -> Any:
    """Calls a static method of the entry class, which only the session's own class loader may know."""
    java_class = entry(spark)
    found = [m for m in java_class.getMethods() if m.getName() == method] if java_class else []
    if not found:
        raise NotInstalledError("Slidewise is not on in this session: call slidewise.install(spark)")
    gateway: Any = spark._sc._gateway
    arguments = gateway.new_array(gateway.jvm.java.lang.Object, 1)
    arguments[0] = argument
    return _invoke(found[0], arguments)


def _invoke(method: Any, arguments: Any) -> Any:
    # PySpark for Spark Connect alone brings no py4j.
    from py4j.protocol import Py4JJavaError
    from pyspark.errors.exceptions.captured import UnknownException, convert_exception

    try:
        return method.invoke(None, arguments)
    except Py4JJavaError as error:
        # Reflection has wrapped the error of the method.
        cause = error.java_exception.getCause()
        converted = convert_exception(cause) if cause is not None else None
        if converted is None or isinstance(converted, UnknownException):
            raise
        raise converted from None


def _jar_for(spark: SparkSession) -> str:
    return jar_path(spark.version)


def _probe(spark: SparkSession) -> Any:
    return spark.sql("SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM range(1)")
