"""A large off-heap pool beside a small heap: arrays on the heap must be asked of the heap's pool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = Path(__file__).parent / "two_windows.py"


def expected(rows: int) -> list[int]:
    """Rows, and the sums of all windows' sums and maxima."""
    sums = maxima = 0
    for parity in (0, 1):
        # Rows of one time have one value, so that the order of ties is no matter.
        times = np.sort(np.arange(parity, rows, 2, dtype=np.int64) * 48271 % 1000003)[::-1]
        totals, largest = times % 1000, times * 7919 % 1003
        running = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(totals)])
        ends = np.arange(1, len(times) + 1)
        sums += int((running[ends] - running[np.maximum(ends - 10, 0)]).sum())
        window = largest.copy()
        for back in range(1, 10):
            window[back:] = np.maximum(window[back:], largest[:-back])
        maxima += int(window.sum())
    return [rows, sums, maxima]


@pytest.mark.long
@pytest.mark.parametrize(("rows", "heap"), [(12_000_000, "500m"), (24_000_000, "700m")])
def test_it_answers_within_the_heap(tmp_path: Path, rows: int, heap: str) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path), str(rows), heap],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(PROGRAM.parents[1]), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[:5000]
    assert json.loads(done.stdout.splitlines()[-1]) == {"answer": expected(rows), "taken": True}
