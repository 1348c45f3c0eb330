"""Flink SQL in a process of its own, which reads the events from CSV."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from shared.engines import THREADS

FLINK = "Flink"
_ROOT = Path(__file__).resolve().parents[2]
_PYTHON = _ROOT / ".venv-flink/bin/python"


VERSION = next(
    line.split("==")[1]
    for line in Path(__file__).with_name("requirements-flink.txt").read_text().splitlines()
    if line.startswith("apache-flink==")
)


def is_installed() -> bool:
    return _PYTHON.is_file()


class Flink:
    """The process starts at once, and ends with `close` or `cancel`."""

    name = FLINK

    def __init__(self, file: Path, checked: Path) -> None:
        self._process = subprocess.Popen(
            [_PYTHON, Path(__file__).with_name("flink_jobs.py"), _csv(file), _csv(checked), str(THREADS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._line()

    def source(self, _: Path) -> str:
        return "events"

    def run(self, sql: str) -> None:
        self._ask(sql, checked=False)

    def one_row(self, sql: str, _: str) -> list[float]:
        return self._ask(sql, checked=True)

    def cancel(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _ask(self, sql: str, checked: bool) -> list[float]:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"sql": sql, "checked": checked}) + "\n")
        self._process.stdin.flush()
        answer: list[float] = json.loads(self._line())
        return answer

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"Flink has ended with {self._process.wait()}")
        return line


def _csv(file: Path) -> Path:
    """The same events in a format that Flink reads without further libraries."""
    target = file.with_suffix(".csv")
    if not target.is_file():
        events = pyarrow.parquet.read_table(file)
        naive = [f.with_type(pa.timestamp("ms")) if pa.types.is_timestamp(f.type) else f for f in events.schema]
        part = target.with_suffix(".part")
        pyarrow.csv.write_csv(
            events.cast(pa.schema(naive), safe=False), part, pyarrow.csv.WriteOptions(include_header=False)
        )
        part.rename(target)
    return target
