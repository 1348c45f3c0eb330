"""What was measured, as it stands in the results' JSON; all tables and pictures are made from that."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import shutil
import statistics
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cases import Case
from engines import FLOOR, THREADS

_ROOT = Path(__file__).resolve().parents[2]
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
    return {
        "form": form,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "cpus": os.cpu_count(),
        "cpu": _cpu(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "threads": THREADS,
        "load_average": round(os.getloadavg()[1], 1),
        "python": platform.python_version(),
        "versions": {package: _version(package) for package in _PACKAGES},
        "slidewise": (_ROOT / "python/src/slidewise/VERSION").read_text().strip(),
        "commit": _commit(),
    }


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


def _commit() -> str | None:
    """Which state of the operator was measured, so that nobody takes old figures for those of newer code."""
    git = shutil.which("git")
    if git is None:
        return None
    said = subprocess.run([git, "log", "-1", "--format=%h", "--", "jvm"], cwd=_ROOT, capture_output=True, text=True)
    return said.stdout.strip() or None


def _cpu() -> str:
    about = Path("/proc/cpuinfo")
    lines = about.read_text().splitlines() if about.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
