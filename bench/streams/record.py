"""What was measured, as it stands in the results' JSON; the tables are made from that."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyspark
from cases import Case
from shared import machine

THREADS = 2


@dataclass
class Measurement:
    """A variant's turns: seconds from start to end, the JVM's processor seconds, and milliseconds of each batch."""

    variant: str
    case: Case | None
    rows: int
    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    state_rows: int = 0
    combines: int = 0

    @property
    def rate(self) -> float:
        return self.rows / statistics.median(self.seconds)


@dataclass
class RowTimes:
    """Nanoseconds at the quantiles 0.5, 0.99, 0.999, 0.9999 and 1; and the most that a row took of the processor."""

    case: Case | None
    quantiles: list[list[int]] = field(default_factory=list)
    processor: list[int] = field(default_factory=list)


@dataclass
class Record:
    name: str
    where: dict[str, Any]
    measurements: list[Measurement] = field(default_factory=list)
    row_times: list[RowTimes] = field(default_factory=list)


def where(files: int) -> dict[str, Any]:
    return machine.where("streams") | {"threads": THREADS, "spark": pyspark.__version__, "files": files}


def read(path: Path) -> dict[str, Record]:
    if not path.exists():
        return {}
    return {name: _record(name, stored) for name, stored in json.loads(path.read_text()).items()}


def write(path: Path, records: dict[str, Record]) -> None:
    stored = {name: {k: v for k, v in asdict(r).items() if k != "name"} for name, r in records.items()}
    path.write_text(json.dumps(stored, indent=1) + "\n")


def _record(name: str, stored: dict[str, Any]) -> Record:
    def of(made: type[Any], values: dict[str, Any]) -> Any:
        return made(**values | {"case": Case(**values["case"]) if values["case"] else None})

    measurements = [of(Measurement, m) for m in stored["measurements"]]
    return Record(name, stored["where"], measurements, [of(RowTimes, r) for r in stored["row_times"]])
