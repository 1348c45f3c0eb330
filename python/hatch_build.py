"""Puts the jars into the package: those already built, or built here when this is a checkout."""

from __future__ import annotations

import os
import runpy
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_MOST_BYTES = 4_200_000
"""The size limit of a jar: more is a class that should not be in it."""


def wanted_jars(checkout: Path) -> list[str]:
    """The names of the jars of a checkout: those of the Spark minors in SLIDEWISE_MINORS, by default all."""
    version = (checkout / "python/src/slidewise/VERSION").read_text(encoding="utf-8").strip()
    chosen = [minor for minor in os.environ.get("SLIDEWISE_MINORS", "").split(",") if minor]
    builds = runpy.run_path(str(checkout / "build/spark_builds.py"))["spark_builds"]()
    unknown = sorted(set(chosen) - {build.minor for build in builds})
    if unknown:
        minors = ", ".join(dict.fromkeys(build.minor for build in builds))
        raise RuntimeError(f"SLIDEWISE_MINORS names {', '.join(unknown)}, but must be some of {minors}")
    return [build.jar(version) for build in builds if not chosen or build.minor in chosen]


def missing(jars: Path, names: list[str]) -> list[str]:
    return [name for name in names if not (jars / name).is_file()]


def refuse_large_jars(jars: Path) -> None:
    for jar in sorted(jars.glob("*.jar")):
        if jar.stat().st_size > _MOST_BYTES:
            raise RuntimeError(f"{jar} has {jar.stat().st_size:,} bytes, but must have at most {_MOST_BYTES:,}")


class JarsHook(BuildHookInterface):  # type: ignore[type-arg]
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        package, checkout = root / "src/slidewise", root.parent
        if not (checkout / "build/sbt").is_file():
            if not list((package / "jars").glob("*.jar")):
                raise RuntimeError(
                    f"{package / 'jars'} holds no jar, and this is not a checkout of Slidewise that could build "
                    "it: take the wheel or the whole source distribution, or run `pip install ./python` in a "
                    "checkout"
                )
            return
        names = wanted_jars(checkout)
        if missing(package / "jars", names):
            build_jars(checkout, self.app.display_waiting)
        if still_missing := missing(package / "jars", names):
            raise RuntimeError(f"build/sbt slidewise/jars did not make {', '.join(still_missing)}")
        refuse_large_jars(package / "jars")


def build_jars(checkout: Path, tell: Callable[[str], None]) -> None:
    tell("building the jars with build/sbt")
    try:
        subprocess.run([str(checkout / "build/sbt"), "slidewise/jars"], cwd=checkout, check=True)
    except (subprocess.CalledProcessError, OSError) as error:
        raise RuntimeError(
            f"build/sbt slidewise/jars failed ({error}): it needs a JDK 17 or later and Maven, and the jars of "
            "Spark; `make jars` in the checkout brings them and shows the whole error"
        ) from error
