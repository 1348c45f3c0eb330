#!/usr/bin/env python3
"""Prints the ten slowest of the JVM tests that sbt ran last, from the reports that it leaves."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree


def main() -> None:
    root = Path(__file__).resolve().parents[1]
    timed = [
        (float(case.get("time") or 0), f"{case.get('classname', '').rsplit('.', 1)[-1]}: {case.get('name')}")
        for report in root.glob("jvm/**/target/test-reports/*.xml")
        for case in ElementTree.parse(report).iter("testcase")
    ]
    print("slowest 10 of the JVM tests")
    for seconds, name in sorted(timed, reverse=True)[:10]:
        print(f"{seconds:.2f}s {name}")


main()
