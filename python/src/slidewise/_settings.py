"""Settings from PYSPARK_SUBMIT_ARGS and spark-defaults.conf, and the keys of Slidewise's own settings."""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from slidewise import _running

_SUBMIT_ARGS = "PYSPARK_SUBMIT_ARGS"
_OPTION_OF = {"spark.jars": "--jars", "spark.jars.packages": "--packages"}
_WITH_VALUE = ("--jars=", "--packages=", "--conf=", "--properties-file=")

PREFIX = "spark.slidewise."

KEYS = tuple(
    PREFIX + key
    for key in (
        "blockExchange.enabled",
        "enabled",
        "hoppingWindows.enabled",
        "hoppingWindows.maxPerRow",
        "mergeApproximate",
        "mergeUserAggregators",
        "neverMerge",
        "parallel.cores",
        "parallel.enabled",
        "parallel.minRows",
        "parallel.readTwice",
        "parallel.skewThreshold",
        "parallel.skewedKeys",
        "refresh.maxShare",
        "sort.enabled",
        "state.maxSize",
        "streaming.keyTimeout",
        "streaming.lateRowsPath",
        "streaming.mode",
        "topRows.enabled",
        "windowJoins.enabled",
        "windowJoins.filterRatio",
        "windowJoins.minSize",
    )
)
"""The settings that the jar registers with Spark."""


def unknown(keys: Iterable[str]) -> dict[str, str]:
    """The keys under `spark.slidewise.` that are no setting, each with the nearest setting.

    >>> unknown(["spark.slidewise.enable", "spark.slidewise.enabled", "spark.app.name"])
    {'spark.slidewise.enable': 'spark.slidewise.enabled'}
    """
    wrong = sorted({key for key in keys if key.startswith(PREFIX)} - set(KEYS))
    return {key: difflib.get_close_matches(key, KEYS, n=1, cutoff=0)[0] for key in wrong}


def append(listed: str | None, item: str) -> str:
    """Adds the item to a comma-separated list, unless the list has it.

    >>> append("a, b", "c")
    'a,b,c'
    >>> append("a,b", "b")
    'a,b'
    """
    return ",".join(dict.fromkeys([*_items(listed), item]))


def append_jar(listed: str | None, jar: str) -> str:
    """Adds the jar to a comma-separated list of paths and URIs, unless the list has it.

    >>> append_jar("file:///lib/a.jar", "/lib/a.jar")
    'file:///lib/a.jar'
    """
    there = any(item.removeprefix("file://").removeprefix("file:") == jar for item in _items(listed))
    return ",".join(_items(listed)) if there else append(listed, jar)


def elsewhere(key: str) -> str | None:
    """The value of a setting outside the builder, or None if it is not set or not known to this process."""
    jvm = _running.jvm()
    if jvm is not None:
        value = jvm.java.lang.System.getProperty(key)
        return None if value is None else str(value)
    arguments = _submit_arguments()
    option = _OPTION_OF.get(key)
    if option and option in arguments:
        return _value_after(arguments, option)
    return _started_with(arguments).get(key)


def elsewhere_keys() -> set[str]:
    """The keys of the settings that are made elsewhere than on the builder, before a JVM runs."""
    return set(_started_with(_submit_arguments()))


def submits_jars() -> bool:
    """Whether Spark gets jars in a way that `spark.jars` on the builder would hide from the driver or executors."""
    return "--jars" in _submit_arguments() or bool(elsewhere("spark.jars.packages"))


def submit_jar(jar: str, beside: str | None) -> None:
    """Adds the jar to `--jars` of PYSPARK_SUBMIT_ARGS. A new `--jars` lists the jars in `beside` as well."""
    arguments = _submit_arguments() or ["pyspark-shell"]
    if "--jars" in arguments:
        at = arguments.index("--jars") + 1
        arguments[at] = append_jar(arguments[at], jar)
    else:
        arguments = ["--jars", append_jar(beside, jar), *arguments]
    os.environ[_SUBMIT_ARGS] = shlex.join(arguments)


def _items(listed: str | None) -> list[str]:
    return [item.strip() for item in (listed or "").split(",") if item.strip()]


def _submit_arguments() -> list[str]:
    given = shlex.split(os.environ.get(_SUBMIT_ARGS, ""))
    return [part for one in given for part in (one.split("=", 1) if one.startswith(_WITH_VALUE) else [one])]


def _started_with(arguments: list[str]) -> dict[str, str]:
    """The settings of `--conf`, of which the last one of a key counts, and of the properties file."""
    named = [value.partition("=") for name, value in zip(arguments, arguments[1:]) if name in ("--conf", "-c")]
    return _defaults(arguments) | {key: value for key, equals, value in named if equals}


def _value_after(arguments: list[str], option: str) -> str | None:
    at = arguments.index(option) + 1
    return arguments[at] if at < len(arguments) else None


def _defaults(arguments: list[str]) -> dict[str, str]:
    """The settings of spark-defaults.conf, or those of a properties file, or with --load-spark-defaults of both."""
    if "--properties-file" not in arguments:
        return _properties(_defaults_file())
    named = _value_after(arguments, "--properties-file")
    given = _properties(Path(named)) if named else {}
    return _properties(_defaults_file()) | given if "--load-spark-defaults" in arguments else given


def _defaults_file() -> Path:
    folder = os.environ.get("SPARK_CONF_DIR")
    return (Path(folder) if folder else (_running.home() or Path()) / "conf") / "spark-defaults.conf"


def _properties(path: Path) -> dict[str, str]:
    """The settings in a file of Java's properties. Bytes that are no UTF-8 are replaced, as Spark does."""
    if not path.is_file():
        return {}
    lines = re.split(r"\r\n|\r|\n", path.read_text(encoding="utf-8", errors="replace"))
    entries = (_ENTRY.match(line) for line in _logical_lines(lines))
    return {_unescaped(entry[1]): _unescaped(entry[2]).strip() for entry in entries if entry}


# A key ends at the first blank, equals sign or colon without a backslash before it.
_ENTRY = re.compile(r"((?:\\.|[^\s=:\\])+)\s*[=:]?\s*(.*)", re.DOTALL)


def _logical_lines(lines: list[str]) -> Iterator[str]:
    """The lines without blank ones and comments. One that ends in an odd number of backslashes goes on in the next."""
    begun = ""
    for line in lines:
        rest = line.lstrip()
        if not begun and rest[:1] in ("", "#", "!"):
            continue
        if (len(rest) - len(rest.rstrip("\\"))) % 2:
            begun += rest[:-1]
        else:
            yield begun + rest
            begun = ""
    if begun:
        yield begun


def _unescaped(text: str) -> str:
    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", lambda found: _character(found[1]), text)


def _character(escape: str) -> str:
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    return {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}.get(escape, escape)
