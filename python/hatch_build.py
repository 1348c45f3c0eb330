"""Puts the jars into the package: those already built, or built here when this is a checkout."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def missing_jars(package: Path, minors: list[str]) -> list[str]:
    """The names of the jars that the package lacks, one for each Spark minor."""
    version = (package / "VERSION").read_text(encoding="utf-8").strip()
    names = [f"slidewise-spark-{minor}_2.13-{version}.jar" for minor in minors]
    return [name for name in names if not (package / "jars" / name).is_file()]


def minors_of(checkout: Path) -> list[str]:
    """The Spark minors that a checkout builds for: those in SLIDEWISE_MINORS, by default all that it has shims for."""
    chosen = os.environ.get("SLIDEWISE_MINORS")
    if chosen:
        return chosen.split(",")
    return sorted(folder.name for folder in (checkout / "jvm/spark/shims").glob("*.*") if folder.is_dir())


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
        minors = minors_of(checkout)
        if missing_jars(package, minors):
            self.app.display_waiting("building the jars with build/sbt")
            try:
                subprocess.run([str(checkout / "build/sbt"), "slidewise/jars"], cwd=checkout, check=True)
            except (subprocess.CalledProcessError, OSError) as error:
                raise RuntimeError(
                    f"build/sbt slidewise/jars failed ({error}): it needs a JDK 17 or later and Maven, and the "
                    "jars of Spark; `make jars` in the checkout brings them and shows the whole error"
                ) from error
        still_missing = missing_jars(package, minors)
        if still_missing:
            raise RuntimeError(f"build/sbt slidewise/jars did not make {', '.join(still_missing)}")
