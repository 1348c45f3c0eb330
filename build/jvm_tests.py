#!/usr/bin/env python3
"""Runs JVM tests by the command given, prints those that failed and the ten slowest, and exits as the command does.

sbt prints a failed test where it fails, which may be thousands of lines before the end. Usage:

    build/jvm_tests.py build/sbt core/test
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]


class Case(NamedTuple):
    seconds: float
    name: str
    # None: it passed.
    error: str | None


def _cases(report: Path) -> list[Case]:
    """The test cases of a report of sbt's."""
    project = report.parents[2].name
    try:
        found = ElementTree.parse(report).iter("testcase")
    except ElementTree.ParseError as error:
        return [Case(0, f"{project} {report.name}", f"the report is damaged: {error}")]
    cases = []
    for case in found:
        errors = [child for child in case if child.tag in ("failure", "error")]
        name = f"{project} {case.get('classname', '').rsplit('.', 1)[-1]}: {case.get('name')}"
        error = (errors[0].get("message") or errors[0].text or errors[0].tag) if errors else None
        cases.append(Case(float(case.get("time") or 0), name, error))
    return cases


def main() -> int:
    began = time.time()
    status = subprocess.run(sys.argv[1:], check=False).returncode
    cases = [
        case
        for folder in ("jvm", ".build/sbt")
        for report in (ROOT / folder).glob("**/target/test-reports/*.xml")
        if report.stat().st_mtime >= began
        for case in _cases(report)
    ]
    print("slowest 10 of the JVM tests")
    for case in sorted(cases, key=lambda case: -case.seconds)[:10]:
        print(f"{case.seconds:.2f}s {case.name}")
    failed = [case for case in cases if case.error is not None]
    if status:
        print(f"{sys.argv[1:]} exited with {status}; failed tests in its reports: {len(failed)}")
    for case in failed:
        print(f"FAILED {case.name}\n  " + "\n  ".join(str(case.error).splitlines()[:12]))
    return status


if __name__ == "__main__":
    sys.exit(main())
