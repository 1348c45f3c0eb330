"""The extension that counts the operators of all plans, and what it counted."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

EXTENSIONS = "org.slidewise.spark.SlidewiseExtensions,org.slidewise.tests.PlannedOperators"
PROPERTY = "slidewise.planned"
"""The system property with the path of the file that gets the counts when the JVM ends."""

_SOURCE = Path(__file__).with_name("PlannedOperators.java")
_SPARKS = ("Window", "WindowGroupLimit")


def compile_into(classes: Path, jars: Path) -> None:
    """Compiles the extension with Spark's jars."""
    classes.mkdir(exist_ok=True)
    subprocess.run(["javac", "-nowarn", "-cp", f"{jars}/*", "-d", str(classes), str(_SOURCE)], check=True)


def counted(file: Path) -> dict[str, int]:
    """How often each operator was planned, by its name."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {name: int(count) for name, count in (line.rsplit(" ", 1) for line in lines)}


def ours_and_sparks(planned: Mapping[str, int]) -> tuple[int, int]:
    """How many of the operators are Slidewise's, and Spark's for windows."""
    sparks = sum(planned.get(name, 0) for name in _SPARKS)
    return sum(planned.values()) - sparks, sparks
