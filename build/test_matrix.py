#!/usr/bin/env python3
"""Runs a fixed selection of the tests on the first and the last patch of each Spark minor, and prints one table.

Each version has a virtual environment of its own, `.venv-<version>`, with the wheel of `make wheel` installed. The
output of each run is in `.build/matrix/<version>-<group>.log`. Exits with 1 if a test fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from spark_builds import ROOT, spark_builds
from spark_venvs import environment

GROUPS = {
    "semantics": ["tests/semantics"],
    "functions": ["tests/functions"],
    "generated": ["tests/generated"],
    "deployment": ["tests/deployment"],
    "aggregators": ["tests/aggregators"],
    "package": ["tests/python/test_configure.py", "tests/python/test_installed.py", "tests/python/test_session.py"],
    "streams": ["tests/streams"],
    "lakes": ["-m", "long", "tests/deployment/test_lakes.py"],
    "native": ["-m", "long", "tests/deployment/test_native_engines.py"],
}
STREAMS_SINCE = (4, 0)
LOGS = ROOT / ".build/matrix"


class Result(NamedTuple):
    """The counts of one group of tests on one Spark version. `crashed`: pytest reported no counts."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    crashed: bool = False

    @property
    def ok(self) -> bool:
        return not (self.failed or self.crashed) and self.passed > 0

    def __str__(self) -> str:
        return "crashed" if self.crashed else f"{self.passed}/{self.failed}/{self.skipped}"


def groups_of(version: str) -> dict[str, list[str]]:
    minor = tuple(int(part) for part in version.split(".")[:2])
    left_out = {"streams"} if minor < STREAMS_SINCE else set()
    for group in ("lakes", "native"):
        if not (ROOT / f"tests/deployment/{group}/{minor[0]}.{minor[1]}.xml").is_file():
            left_out.add(group)
    if "-scala" in version:
        # They need Spark's shells.
        left_out |= {"deployment", "lakes", "native"}
    return {name: paths for name, paths in GROUPS.items() if name not in left_out}


def tested(python: Path, version: str, group: str, paths: list[str], workers: str) -> Result:
    log, report = LOGS / f"{version}-{group}.log", LOGS / f"{version}-{group}.xml"
    report.unlink(missing_ok=True)
    options = ["-q", "-p", "no:cacheprovider", "-n", workers, "--dist", "worksteal", f"--junitxml={report}"]
    kept = {name: value for name, value in os.environ.items() if name not in ("SPARK_HOME", "PYTHONPATH")}
    with log.open("w") as output:
        subprocess.run(
            [str(python), "-m", "pytest", *options, *paths],
            cwd=ROOT,
            env=kept,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    return counted(report)


def counted(report: Path) -> Result:
    try:
        suites = list(ElementTree.parse(report).iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return Result(crashed=True)
    total, failures, errors, skipped = (
        sum(int(suite.get(name, "0")) for suite in suites) for name in ("tests", "failures", "errors", "skipped")
    )
    return Result(total - failures - errors - skipped, failures + errors, skipped)


def table(results: dict[str, dict[str, Result]], groups: list[str]) -> str:
    rows = [["Spark", *groups]]
    rows += [[version, *(str(row.get(group, "-")) for group in groups)] for version, row in results.items()]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def main() -> int:
    known = list(dict.fromkeys(version for build in spark_builds() for version in build.sparks))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("versions", nargs="*", metavar="VERSION", help=f"of {', '.join(known)}; default: all")
    parser.add_argument("--group", action="append", choices=list(GROUPS), help="only this group; repeatable")
    parser.add_argument("--python", default=sys.executable, help="the Python for new virtual environments")
    parser.add_argument("--workers", default=os.environ.get("WORKERS", "2"), help="processes of pytest")
    arguments = parser.parse_args()
    if unknown := [version for version in arguments.versions if version not in known]:
        parser.error(f"VERSION is {unknown[0]!r}, but must be one of {', '.join(known)}")
    LOGS.mkdir(parents=True, exist_ok=True)
    chosen = arguments.group or list(GROUPS)
    results: dict[str, dict[str, Result]] = {}
    for version in arguments.versions or known:
        python = environment(version, arguments.python)
        results[version] = {}
        for group, paths in groups_of(version).items():
            if group in chosen:
                began = time.monotonic()
                result = tested(python, version, group, paths, arguments.workers)
                results[version][group] = result
                print(f"{version} {group}: {result} in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    print(f"passed/failed/skipped, Python {sys.version.split()[0]}\n")
    print(table(results, chosen))
    return 0 if all(result.ok for row in results.values() for result in row.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
