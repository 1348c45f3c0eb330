"""The checks that need no query: from the facts about a session to findings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from slidewise import _settings
from slidewise._configure import EXTENSION
from slidewise._doctor._conflicts import conflicts
from slidewise._doctor._facts import Facts, listed
from slidewise._doctor._findings import Finding
from slidewise._jars import __version__
from slidewise._reports import PROVIDER, PROVIDERS
from slidewise._switch import SWITCH
from slidewise._versions import minor_of

_IF_FALSE = {
    "hoppingWindows.enabled": "Spark evaluates GROUP BY with a hopping window()",
    "mergeApproximate": "the frames of approximate functions are recalculated, at Spark's cost",
    "mergeUserAggregators": "the frames of user Aggregators are recalculated, at Spark's cost",
    "parallel.enabled": "one task evaluates a window without PARTITION BY",
    "sort.enabled": "Slidewise evaluates every function row by row",
    "topRows.enabled": "Spark sorts all rows for filters such as row_number() = 1",
}
_STATE_STORE = "spark.sql.streaming.stateStore.providerClass"


def all_of(facts: Facts) -> list[Finding]:
    """The findings of all checks."""
    return [
        finding
        for check in (_versions, _jar, _session, _functions, _own_settings, _settings_of_spark, conflicts)
        for finding in check(facts)
    ]


def _versions(facts: Facts) -> Iterator[Finding]:
    known = {"Scala": facts.scala, "Java": facts.java, "Python": facts.python}
    others = ", ".join(f"{name} {version or 'unknown'}" for name, version in known.items())
    kind = " (Spark Connect)" if facts.connect else ""
    yield Finding("ok", "versions", f"Slidewise {__version__}, Spark {facts.spark}{kind}, {others}")
    if facts.pyspark and not facts.connect and minor_of(facts.pyspark) != minor_of(facts.spark):
        yield Finding(
            "warning",
            "versions",
            f"PySpark {facts.pyspark} runs Spark {facts.spark}",
            f"pip install pyspark=={'.'.join(map(str, minor_of(facts.spark)))}.*, or let SPARK_HOME name a Spark of "
            "PySpark's version",
        )


def _jar(facts: Facts) -> Iterator[Finding]:
    names = " and ".join(facts.jars)
    if facts.unloadable:
        yield Finding("problem", "jar", f"the JVM cannot load {names or 'the jar'}: {facts.unloadable}", facts.remedy)
    elif facts.fits is False:
        scala = f" with Scala {facts.scala}" if facts.scala else ""
        yield Finding("problem", "jar", f"{names} is not built for Spark {facts.spark}{scala}", facts.remedy)
    elif facts.fits:
        yield Finding("ok", "jar", f"{names or 'the jar'} fits this Spark")
    if len(facts.jars) > 1:
        yield Finding(
            "warning", "jar", f"the class path has {len(facts.jars)} jars of Slidewise", "Keep one of them, and restart"
        )
    for name in facts.jars:
        version = re.fullmatch(r"slidewise-spark-[\d.]+_[\d.]+-(.+)\.jar", name)
        if version and version[1] != __version__:
            yield Finding(
                "warning",
                "jar",
                f"the jar has version {version[1]}, the Python package {__version__}",
                "Use the jar that python -m slidewise jar prints",
            )


def _session(facts: Facts) -> Iterator[Finding]:
    named = EXTENSION in listed(facts.settings.get("spark.sql.extensions"))
    if facts.on and facts.extended:
        yield Finding("ok", "session", "Slidewise is on, since the session started")
    elif facts.on:
        yield Finding(
            "note",
            "session",
            "Slidewise is on through slidewise.install: not for windows over streams, and not for DISTINCT and "
            "percentiles over frames",
            "For these, call slidewise.configure(builder) before the session starts",
        )
    elif not facts.on and facts.fits is not False and not facts.unloadable:
        without = f", though spark.sql.extensions names {EXTENSION}" if named and not facts.jars else ""
        yield Finding("problem", "session", f"Slidewise is not on{without}", facts.remedy)
    if not facts.on and PROVIDER in listed(facts.settings.get(PROVIDERS)) and not facts.jars:
        yield Finding(
            "problem",
            "session",
            f"{PROVIDERS} names {PROVIDER}, which is not on the class path: Spark fails the query",
            f"RESET {PROVIDERS}, or add the jar",
        )


def _functions(facts: Facts) -> Iterator[Finding]:
    if facts.missing_functions:
        yield Finding(
            "problem",
            "functions",
            f"the session lacks {len(facts.missing_functions)} SQL functions of Slidewise: "
            f"{', '.join(facts.missing_functions)}",
            "Use the jar that python -m slidewise jar prints, and restart",
        )
    elif facts.on:
        yield Finding("ok", "functions", "the SQL functions are registered")


def _own_settings(facts: Facts) -> Iterator[Finding]:
    settings = facts.settings
    if facts.is_false(SWITCH):
        yield Finding("warning", "settings", f"{SWITCH} is false: Spark evaluates all windows", f"SET {SWITCH} = true")
    for key, nearest in _settings.unknown(settings).items():
        yield Finding("warning", "settings", f"{key} is unknown and has no effect", f"Set {nearest}, if that is meant")
    for key, effect in _IF_FALSE.items():
        if facts.is_false(_settings.PREFIX + key):
            name = _settings.PREFIX + key
            yield Finding("note", "settings", f"{name} is false: {effect}", f"SET {name} = true")
    if never := settings.get(f"{_settings.PREFIX}neverMerge"):
        yield Finding(
            "note",
            "settings",
            f"{_settings.PREFIX}neverMerge is {never}: Slidewise recalculates the frames of these functions",
            "Remove the functions that can be merged",
        )


def _settings_of_spark(facts: Facts) -> Iterator[Finding]:
    if facts.is_false("spark.sql.adaptive.enabled"):
        yield Finding(
            "note",
            "settings",
            "spark.sql.adaptive.enabled is false: one task evaluates each skewed partition",
            "SET spark.sql.adaptive.enabled = true",
        )
    provider = facts.settings.get(_STATE_STORE, "")
    if provider.endswith("HDFSBackedStateStoreProvider"):
        yield Finding(
            "note",
            "settings",
            f"{_STATE_STORE} is {provider.rsplit('.', 1)[-1]}: the state of windows over streams is in memory",
            f"RESET {_STATE_STORE}: windows over streams then use RocksDB",
        )
