"""Reads from a session what the checks look at."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from slidewise import _install, _jars, _switch
from slidewise._configure import EXTENSION
from slidewise._messages import message_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PACKAGE = "org.slidewise.spark"
_NO_SQL_FUNCTIONS = {"centered", "over", "trailing"}
_RUNS_ONLY_WITH_THE_EXTENSION = "SELECT count(DISTINCT id) OVER (ORDER BY id) FROM range(1)"


@dataclass(frozen=True)
class Facts:
    """The state of a session. None or an empty value stands for what the session does not tell."""

    spark: str
    connect: bool = False
    pyspark: str | None = None
    scala: str | None = None
    java: str | None = None
    python: str = field(default_factory=platform.python_version)
    jars: tuple[str, ...] = ()
    """The file names of Slidewise's jars on the class path."""

    fits: bool | None = None
    """Whether the jar says that it is built for this Spark."""

    unloadable: str | None = None
    """Why the JVM cannot load the jar's classes."""

    on: bool = False
    extended: bool = False
    """Whether the session has the extension since its start, and not through `install`."""

    missing_functions: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    missing_extensions: tuple[str, ...] = ()
    """The classes in `spark.sql.extensions` that are not on the class path."""

    remedy: str = ""
    """How to switch Slidewise on in this session, or why that is not possible."""

    @property
    def extensions(self) -> list[str]:
        """The classes in `spark.sql.extensions`, but Slidewise's."""
        return [name for name in listed(self.settings.get("spark.sql.extensions")) if name != EXTENSION]

    def is_false(self, setting: str) -> bool:
        """Whether a setting of the session is false, in any case of letters, as Spark reads it."""
        return self.settings.get(setting, "").strip().lower() == "false"


def listed(setting: str | None) -> list[str]:
    """The items of a comma-separated setting."""
    return [item.strip() for item in (setting or "").split(",") if item.strip()]


def of(spark: SparkSession) -> Facts:
    """The facts of a classic or Connect session. Runs a query or two of one row at most."""
    settings = {row["key"]: row["value"] for row in spark.sql("SET").collect()}
    connect = _install.is_connect(spark)
    known = _at_server(spark, settings) if connect else _in_driver(spark, settings)
    on = bool(known.get("on"))
    return Facts(
        spark=str(spark.version),
        connect=connect,
        pyspark=_pyspark(),
        settings=settings,
        extended=on and _is_extended(spark),
        missing_functions=_missing_functions(spark) if on else (),
        remedy="" if on else _remedy(spark),
        **known,
    )


def _in_driver(spark: Any, settings: dict[str, str]) -> dict[str, Any]:
    jvm = spark._jvm
    loader = spark._jsparkSession.sharedState().jarClassLoader()
    known: dict[str, Any] = {
        "scala": str(jvm.scala.util.Properties.versionNumberString()),
        "java": str(jvm.java.lang.System.getProperty("java.version")),
        "jars": tuple(dict.fromkeys(_jars_with_slidewise(loader))),
        "missing_extensions": tuple(
            name for name in listed(settings.get("spark.sql.extensions")) if not _is_loadable(loader, name)
        ),
    }
    try:
        if _install.entry(spark) is None:
            return known
        known["fits"] = _install.fits(spark)
        known["on"] = _install.is_on(spark)
    except Exception as error:
        known["unloadable"] = message_of(error)
    return known


def _is_loadable(loader: Any, name: str) -> bool:
    try:
        loader.loadClass(name)
    except Exception:
        return False
    return True


def _jars_with_slidewise(loader: Any) -> Iterator[str]:
    urls = loader.getResources(f"{_PACKAGE.replace('.', '/')}/Slidewise.class")
    while urls.hasMoreElements():
        yield str(urls.nextElement().toString()).split("!")[0].rsplit("/", 1)[-1]


def _at_server(spark: Any, settings: dict[str, str]) -> dict[str, Any]:
    # The server's JVM can be asked through SQL alone.
    on = _install.is_on_at_server(spark)
    fits = _install.from_sql(spark, f"{_PACKAGE}.SparkVersion", "isSupported") if on else None
    jars = [*(row[0] for row in spark.sql("LIST JARS").collect()), *listed(settings.get("spark.jars"))]
    names = dict.fromkeys(jar.rsplit("/", 1)[-1] for jar in jars)
    return {
        "scala": _install.scala_at_server(spark),
        "java": _install.from_sql(spark, "java.lang.System", "getProperty", "java.version"),
        "jars": tuple(name for name in names if re.match(r"slidewise-spark-\d", name)),
        "fits": None if fits is None else fits == "true",
        "on": on,
    }


def _is_extended(spark: Any) -> bool:
    with _switch.switched(spark, on=True):
        try:
            spark.sql(_RUNS_ONLY_WITH_THE_EXTENSION).schema  # noqa: B018, Spark Connect analyses it here
        except Exception:
            return False
    return True


def _missing_functions(spark: Any) -> tuple[str, ...]:
    from slidewise import functions

    there = {str(row[0]).rsplit(".", 1)[-1] for row in spark.sql("SHOW FUNCTIONS").collect()}
    return tuple(name for name in functions.__all__ if name not in {*there, *_NO_SQL_FUNCTIONS})


def _remedy(spark: Any) -> str:
    try:
        if _install.is_connect(spark):
            return f"Start the server with {_install.server_options(spark)}"
        jar = _install.jar_for(spark)
    except _jars.UnsupportedSparkError as error:
        return f"{error}: use one of these versions"
    return (
        "Call slidewise.configure(builder) before the session starts, or slidewise.install(spark) in the running "
        f"session, or start Spark with --jars {jar}"
    )


def _pyspark() -> str | None:
    for package in ("pyspark", "pyspark-client", "pyspark-connect"):
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return None
