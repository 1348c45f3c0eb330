"""What was measured, as it stands in the results' JSON; all tables and pictures are made from that."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cases import Case
from engines import FLOOR, THREADS
from shared import machine

_PACKAGES = ("pyspark", "duckdb", "polars", "pandas", "datafusion", "chdb")


@dataclass(frozen=True)
class Measurement:
    case: str
    label: str
    frame: str
    length: int
    rows_of_case: int
    engine: str
    rows: int
    seconds: list[float]
    memory: int | None = None
    """The most bytes that one task held, where that was asked for."""

    @staticmethod
    def of(case: Case, engine: str, rows: int, seconds: list[float], memory: int | None = None) -> Measurement:
        rounded = [round(s, 4) for s in seconds]
        return Measurement(
            case.name, case.label, case.frame.value, case.length, case.rows, engine, rows, rounded, memory
        )

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def spread(self) -> str:
        return f"{self.median:.2f} s ({min(self.seconds):.2f} to {max(self.seconds):.2f})"


@dataclass(frozen=True)
class NotRun:
    """A query that would take too long, how long about, and from how many rows we know."""

    case: str
    engine: str
    rows: int
    expected_seconds: float
    expected_from_rows: int

    @staticmethod
    def of(case: Case, engine: str, expected: float, probed: int) -> NotRun:
        return NotRun(case.name, engine, case.rows, float(f"{expected:.1g}"), probed)


@dataclass(frozen=True)
class Group:
    """Cases that were measured in one run, beside each other."""

    name: str
    where: dict[str, Any]
    measurements: list[Measurement]
    not_run: list[NotRun]

    def find(self, case: str, engine: str, rows: int) -> Measurement | None:
        found = (m for m in self.measurements if (m.case, m.engine, m.rows) == (case, engine, rows))
        return next(found, None)

    def floor(self, rows: int, case: str | None = None) -> Measurement | None:
        """row_number() on so many rows, in the same turns as the case, or as all cases of a group of lengths."""
        floors = (m for m in self.measurements if m.engine == FLOOR and m.rows == rows)
        return next((m for m in floors if case in (None, m.case)), None)


def where(form: str) -> dict[str, Any]:
    versions = {package: _version(package) for package in _PACKAGES}
    return machine.where(form) | {"threads": THREADS, "python": platform.python_version(), "versions": versions}


def read(path: Path) -> dict[str, Group]:
    if not path.exists():
        return {}
    return {name: _group(name, stored) for name, stored in json.loads(path.read_text()).items()}


def write(path: Path, groups: dict[str, Group]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = {name: {k: v for k, v in asdict(g).items() if k != "name"} for name, g in groups.items()}
    for group in stored.values():
        for m in group["measurements"]:
            m |= {"min": min(m["seconds"]), "median": statistics.median(m["seconds"]), "max": max(m["seconds"])}
    path.write_text(json.dumps(stored, indent=1) + "\n")


def _group(name: str, stored: dict[str, Any]) -> Group:
    derived = {"min", "median", "max"}
    measurements = [Measurement(**{k: v for k, v in m.items() if k not in derived}) for m in stored["measurements"]]
    return Group(name, stored["where"], measurements, [NotRun(**n) for n in stored["not_run"]])


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
