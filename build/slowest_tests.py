#!/usr/bin/env python3
"""Prints the ten slowest of the JVM tests, from the reports that sbt leaves."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree


def _cases(report: Path) -> list[ElementTree.Element]:
    """The test cases of a report; none if the report is damaged, which fails no test."""
    try:
        return list(ElementTree.parse(report).iter("testcase"))
    except ElementTree.ParseError:
        return []


def main() -> None:
    root = Path(__file__).resolve().parents[1]
    timed = [
        (float(case.get("time") or 0), f"{case.get('classname', '').rsplit('.', 1)[-1]}: {case.get('name')}")
        for folder in ("jvm", ".build/sbt")
        for report in (root / folder).glob("**/target/test-reports/*.xml")
        for case in _cases(report)
    ]
    print("slowest 10 of the JVM tests")
    for seconds, name in sorted(timed, reverse=True)[:10]:
        print(f"{seconds:.2f}s {name}")


main()
