"""Switches Slidewise on in a running session, and tells whether it is on."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from slidewise import _reports, _running
from slidewise._jars import jar_path
from slidewise._spark_objects import check_is_a
from slidewise._versions import is_since

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ENTRY = "org.slidewise.spark.Slidewise"
_VERSION = "org.slidewise.spark.SparkVersion"
_A_FUNCTION = "longest_increasing_run"

# The SparkContext, or the session of Spark Connect, that had Slidewise on at the last look: one look-up is enough.
_on_in: weakref.ReferenceType[Any] | None = None


class NotInstalledError(RuntimeError):
    """The session does not have Slidewise on."""


def install(spark: SparkSession) -> bool:
    """Switches Slidewise on in a running session. Returns False if it was on already.

    A Spark Connect client cannot change the server's extensions. There, `install` checks that the server has Slidewise
    on; if not, the error names the options to start the server with.

    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.master("local[1]").getOrCreate()
    >>> newly_on = install(spark)
    >>> install(spark)
    False

    Raises TypeError if `spark` is no session.
    """
    check_is_a("SparkSession", "spark", spark)
    if is_connect(spark):
        if not is_on_at_server(spark):
            raise NotInstalledError(
                "the Spark Connect server does not have Slidewise on, and a client cannot switch it on: start the "
                f"server with {server_options(spark)}"
            )
        return False
    if entry(spark) is None:
        path = jar_for(spark).replace("'", "\\'")
        spark.sql(f"ADD JAR '{path}'")
    newly_on = bool(call(spark, "install", spark._jsparkSession))
    _remember(spark.sparkContext)
    return newly_on


def require(function: str) -> None:
    """Raises `NotInstalledError` if there is a session and it lacks the SQL function.

    Looks in the active session of the thread or, if it has none, in the session of the process. Spark's error for a
    missing function, UNRESOLVED_ROUTINE, does not name the remedy. Costs a few calls to the JVM, or one request to the
    Spark Connect server, until a function is found; afterwards none. Does nothing without a session, or if the look-up
    fails.
    """
    from pyspark.sql import SparkSession
    from pyspark.sql.utils import is_remote

    owner: Any
    session: Any
    if is_remote():
        owner = session = SparkSession.getActiveSession()
    else:
        session = SparkSession._instantiatedSession
        owner = session and session.sparkContext
    if owner is None or (_on_in is not None and _on_in() is owner):
        return
    try:
        session = SparkSession.getActiveSession() or session
        exists = _has_function(session, function)
    except Exception:  # a session that is broken or stopped fails the query itself, with its own error
        return
    if not exists:
        raise NotInstalledError(
            f"Slidewise is not on in this session, which has no function `{function}`: call slidewise.install(spark)"
        )
    _remember(owner)


def _has_function(session: Any, function: str) -> bool:
    if is_connect(session):
        return bool(session.catalog.functionExists(function))
    return bool(session._jsparkSession.catalog().functionExists(function))


def _remember(owner: Any) -> None:
    global _on_in
    _on_in = weakref.ref(owner)


def is_connect(spark: Any) -> bool:
    """Whether a session or a DataFrame belongs to Spark Connect."""
    return ".connect." in type(spark).__module__


def server_options(spark: Any) -> str:
    """The options that start a Spark Connect server with Slidewise on."""
    return f"--jars {jar_for(spark)} and --conf spark.sql.extensions=org.slidewise.spark.SlidewiseExtensions"


def from_sql(spark: Any, java_class: str, method: str, *arguments: str) -> str | None:
    """What a static method returns in the JVM of a Spark Connect server, None if the server does not say."""
    quoted = ", ".join(f"'{argument}'" for argument in (java_class, method, *arguments))
    try:
        (row,) = spark.sql(f"SELECT java_method({quoted})").collect()
    except Exception:  # some platforms forbid reflection
        return None
    return None if row[0] is None else str(row[0])


def scala_at_server(spark: Any) -> str | None:
    """The Scala version of a Spark Connect server, None if the server does not say."""
    return from_sql(spark, "scala.util.Properties", "versionNumberString")


def entry(spark: SparkSession, name: str = _ENTRY) -> Any | None:
    """The entry class of Slidewise's jar, or another class, or None if it is not on the class path."""
    loader = spark._jsparkSession.sharedState().jarClassLoader()
    try:
        return loader.loadClass(name)
    except Exception as error:
        if "ClassNotFoundException" in str(error):
            return None
        raise


def fits(spark: SparkSession) -> bool:
    """Whether the jar on the class path is built for the Spark of a classic session."""
    # Java, and thus safe to call on a Spark that the jar does not fit. Its Scala classes are not.
    return bool(call(spark, "isSupported", of=_VERSION))


def is_on(spark: SparkSession) -> bool:
    """Whether a classic session has Slidewise on."""
    return entry(spark) is not None and fits(spark) and bool(call(spark, "isInstalled", spark._jsparkSession))


def call(spark: SparkSession, method: str, *given: Any, of: str = _ENTRY) -> Any:
    """Calls a static method of the entry class, or of another one, by reflection: only the session's class loader may
    know the class.

    An exception of the method is raised as PySpark raises it, without the Java stack trace.
    """

    java_class = entry(spark, of)
    found = [m for m in java_class.getMethods() if m.getName() == method] if java_class else []
    if not found:
        raise NotInstalledError("Slidewise is not on in this session: call slidewise.install(spark)")
    gateway: Any = spark._sc._gateway
    arguments = gateway.new_array(gateway.jvm.java.lang.Object, len(given))
    for at, argument in enumerate(given):
        arguments[at] = argument
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


def jar_for(spark: Any) -> str:
    """The jar for the session's Spark."""
    return jar_path(spark.version, scala_at_server(spark) if is_connect(spark) else _running.scala_of(spark._jvm))


def is_on_at_server(spark: Any) -> bool:
    """Whether the server of a Connect session has Slidewise on."""
    if not is_since("4.0", spark.version):  # whose EXPLAIN has no place for reports
        return bool(spark.catalog.functionExists(_A_FUNCTION))
    return bool(_reports.of(spark.sql("SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM range(1)")))
