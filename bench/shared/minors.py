"""A benchmark on each Spark minor, each in a virtual environment of its own, with results of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import pyspark

_ROOT = Path(__file__).resolve().parents[2]

option = click.option("--minor", help="Run on this Spark minor, as in 4.1, in its .venv-<version>.")


def of_pyspark() -> tuple[int, int]:
    """The Spark minor that runs."""
    major, minor = pyspark.__version__.split(".")[:2]
    return int(major), int(minor)


def run_on(minor: str, name: str, *own: str) -> None:
    """Replaces this process by the same benchmark with the options `own` in place of `--minor`.

    It runs in the virtual environment of the minor's last tested patch.
    """
    sys.path.append(str(_ROOT / "build"))
    from spark_builds import spark_builds
    from spark_venvs import environment

    patches = {build.minor: build.tested[-1] for build in spark_builds() if build.of_pyspark}
    if minor not in patches:
        raise click.BadParameter(f"{minor!r} is not among {', '.join(patches)}", param_hint="--minor")
    python = environment(patches[minor])
    script, *arguments = sys.argv
    at = next(i for i, argument in enumerate(arguments) if argument.startswith("--minor"))
    rest = arguments[:at] + arguments[at + (1 if "=" in arguments[at] else 2) :]
    os.execv(python, [str(python), script, "--no-docs", "--results", str(_path(name, minor)), *own, *rest])


def results(name: str) -> dict[str, Path]:
    """The files of the benchmark's results, by minor."""
    return {path.stem.removeprefix(f"{name}-"): path for path in sorted(_path(name, "*").parent.glob(f"{name}-[0-9]*"))}


def _path(name: str, minor: str) -> Path:
    return _ROOT / f"bench/results/{name}-{minor}.json"
