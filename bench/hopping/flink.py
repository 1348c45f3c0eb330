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
    """Its process starts with the first query, and again after `cancel`."""

    name = FLINK

    def __init__(self, file: Path, checked: Path) -> None:
        self._files = _csv(file), _csv(checked)
        self._process: subprocess.Popen[str] | None = None

    def source(self, _: Path) -> str:
        return "events"

    def run(self, sql: str) -> None:
        self._ask(sql, checked=False)

    def one_row(self, sql: str, _: str) -> list[float]:
        return self._ask(sql, checked=True)

    def cancel(self) -> None:
        if self._process:
            self._process.kill()

    def close(self) -> None:
        self.cancel()
        if self._process:
            self._process.wait()

    def _ask(self, sql: str, checked: bool) -> list[float]:
        process = self._running()
        assert process.stdin
        process.stdin.write(json.dumps({"sql": sql, "checked": checked}) + "\n")
        process.stdin.flush()
        answer: list[float] = json.loads(_line(process))
        return answer

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [_PYTHON, Path(__file__).with_name("flink_jobs.py"), *self._files, str(THREADS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            _line(self._process)
        return self._process


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"Flink has ended with {process.wait()}")
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
