"""One gibibyte of heap, one partition, a frame of a million rows: it runs to the end, through files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "little_memory.py"
FRAME = 1_000_000


def run(folder: Path, rows: int, *more: str, window: str = "ORDER BY id") -> int:
    """Checks the answer of the calls over a moving frame of a million rows; the bytes spilled."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(folder), str(rows), window, *more],
        env=os.environ | {"PYTHONPATH": str(PROGRAM.parents[1])},
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-5000:]
    report = json.loads(done.stdout.strip().splitlines()[-1])
    assert report["rows"] == rows
    assert report["counted"] == FRAME * (FRAME + 1) // 2 + (rows - FRAME) * FRAME
    assert report["left"] == []
    return int(report["spilled"])


def test_numbers(tmp_path: Path) -> None:
    run(tmp_path, 3_000_000, "sum(id)", "max(id)", "min(x)", "avg(x)", "stddev(x)")


def test_texts(tmp_path: Path) -> None:
    run(tmp_path, 1_300_000, "max_by(s, x)", "count(s)", "min(s)")


@pytest.mark.parametrize("order", ["x DESC", "s, id"])
def test_rows_that_come_in_no_order(tmp_path: Path, order: str) -> None:
    run(tmp_path, 2_000_000, "sum(id)", "max(x)", window=f"ORDER BY {order}")


@pytest.mark.parametrize("rows", [1_100_000, 3_000_000])
def test_rows_that_slidewise_sorts(tmp_path: Path, rows: int) -> None:
    """In one partition; the fewer fit into memory, the more do not."""
    run(tmp_path, rows, "sum(id)", "max(x)", "avg(x)", "stddev(x)", window="PARTITION BY hash(id) % 1 ORDER BY x, id")


def test_sketches(tmp_path: Path) -> None:
    run(tmp_path, 1_100_000, "approx_count_distinct(x)")


@pytest.mark.parametrize(
    "settings",
    [
        ("spark.memory.offHeap.enabled=true", "spark.memory.offHeap.size=24m"),
        ("spark.io.encryption.enabled=true", "spark.memory.fraction=0.03"),
        ("spark.shuffle.spill.compress=false", "spark.memory.fraction=0.03"),
    ],
)
def test_through_files_of_any_kind(tmp_path: Path, settings: tuple[str, ...]) -> None:
    assert run(tmp_path, 1_300_000, "max(s)", "sum(x)", *settings) > 0


@pytest.mark.skipif(os.environ.get("SLIDEWISE_SLOW") != "1", reason="minutes long: SLIDEWISE_SLOW=1 runs it")
def test_twenty_million_rows(tmp_path: Path) -> None:
    run(tmp_path, 20_000_000, "sum(id)", "max(id)", "min(x)", "avg(x)", "stddev(x)", "max(s)")
