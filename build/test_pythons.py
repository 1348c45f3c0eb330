#!/usr/bin/env python3
"""Runs the package's self-test and an aggregator in Python on each Spark minor, with each Python that it supports.

Each pair has a virtual environment of its own, `.venv-<version>-py<python>`, with the wheel of `make wheel` installed.
A Python that the machine lacks is left out: `python3.9` and the like are looked for on the PATH, and below ~/.pyenv.
Exits with 1 if a program fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from spark_builds import ROOT, spark_builds
from spark_venvs import install, wheel

# As the documentation of each Spark says.
SUPPORTED = {
    "3.5": ("3.9", "3.10", "3.11"),
    "4.0": ("3.9", "3.10", "3.11", "3.12", "3.13"),
    "4.1": ("3.10", "3.11", "3.12", "3.13"),
    "4.2": ("3.10", "3.11", "3.12", "3.13"),
    "4.3": ("3.11", "3.12", "3.13"),
}
PROGRAM = ROOT / "tests/deployment/python_program.py"
LOGS = ROOT / ".build/pythons"


def python_of(version: str) -> str | None:
    """The executable of a Python such as 3.12; none if the machine has none."""
    found = [shutil.which(f"python{version}"), *map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
    # pyenv puts a command on the PATH for each Python it has, and most of them only say that they are not chosen.
    return next((each for each in found if each and _starts(each)), None)


def _starts(executable: str) -> bool:
    return subprocess.run([executable, "--version"], capture_output=True, check=False).returncode == 0


def runs(spark: str, python: str, executable: str) -> bool:
    venv = ROOT / f".venv-{spark}-py{python}"
    own = venv / "bin/python"
    if not (venv / "installed").is_file():
        subprocess.run([executable, "-m", "venv", "--clear", str(venv)], check=True)
        # PySpark 3.5 uses NumPy and pandas as they were before 2.0 and 3.0.
        install(own, f"pyspark=={spark}", "numpy<2.4", "pandas<3", "pyarrow", "matplotlib", "setuptools")
        (venv / "installed").touch()
    install(own, "--force-reinstall", "--no-deps", str(wheel()))
    install(own, "click>=8.1")
    LOGS.mkdir(parents=True, exist_ok=True)
    with (LOGS / f"{spark}-py{python}.log").open("w") as log:
        env = os.environ | {"PYSPARK_PYTHON": str(own)}
        command = [str(own), str(PROGRAM)]
        done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, cwd=LOGS, env=env, check=False)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", help="such as 3.12; default: all that a Spark supports")
    arguments = parser.parse_args()
    failed = False
    for spark in (build.sparks[-1] for build in spark_builds() if build.of_pyspark):
        for python in SUPPORTED[".".join(spark.split(".")[:2])]:
            if arguments.pythons and python not in arguments.pythons:
                continue
            executable = python_of(python)
            said = "no such Python" if executable is None else "passed" if runs(spark, python, executable) else "FAILED"
            failed |= said == "FAILED"
            print(f"Spark {spark}, Python {python}: {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
