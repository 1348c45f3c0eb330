"""Little heap, one partition, frames of hundreds of thousands of rows: it runs to the end, through files.

Spark has its execution memory on the heap or off it; what stands on the heap must be counted there in both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Size:
    """The heap, and the rows of a frame."""

    heap: str
    frame: int

    def rows(self, frames: float) -> int:
        return int(frames * self.frame)


SIZES = [
    pytest.param(Size("512m", 250_000), id="quarter of a million"),
    pytest.param(Size("1g", 1_000_000), id="million", marks=pytest.mark.long),
]
# Far more than the heap has, as clusters have it.
MODES = {"heap": (), "off heap": ("spark.memory.offHeap.enabled=true", "spark.memory.offHeap.size=1g")}

Run = Callable[..., int]


class Program:
    """little_memory.py, which keeps its process from one question to the next."""

    def __init__(self, folder: Path, settings: tuple[str, ...]) -> None:
        self.errors = folder / "stderr"
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "little_memory.py"), str(folder), *settings],
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors.open("w"),
            text=True,
        )

    def ask(self, rows: int, frame: int, calls: tuple[str, ...], window: str, where: str, counts_all: bool) -> int:
        """Checks the answer of the calls over a frame, of which the first may count all rows; the bytes spilled."""
        question = json.dumps({"rows": rows, "window": window, "frame": frame, "calls": calls, "where": where})
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.poll() is None, self.errors.read_text()[-5000:]
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, self.errors.read_text()[-5000:]
        report = json.loads(line)
        assert report["rows"] == rows
        longest = rows if where == "growing" else frame
        assert report["counted"] == longest * (longest + 1) // 2 + (rows - longest) * longest
        assert not counts_all or report["all"] == rows
        # The deviation of one row is null.
        assert min(report["values"]) >= rows - 1
        assert report["left"] == []
        return int(report["spilled"])

    def stop(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(60)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[tuple[str, ...]], Program]]:
    """The program under the settings, of which one runs at a time: it begins anew where they change or it died."""
    running: dict[tuple[str, ...], Program] = {}

    def program(settings: tuple[str, ...]) -> Program:
        if settings not in running or running[settings].process.poll() is not None:
            for other in running.values():
                other.stop()
            running.clear()
            running[settings] = Program(tmp_path_factory.mktemp("little"), settings)
        return running[settings]

    yield program
    for other in running.values():
        other.stop()


@pytest.fixture(scope="module", params=SIZES)
def size(request: pytest.FixtureRequest) -> Size:
    return request.param


@pytest.fixture(scope="module", params=MODES.values(), ids=MODES)
def mode(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return request.param


@pytest.fixture
def run(programs: Callable[[tuple[str, ...]], Program], size: Size, mode: tuple[str, ...]) -> Run:
    def asked(
        frames: float,
        *calls: str,
        window: str = "ORDER BY id",
        where: str = "behind",
        counts_all: bool = False,
        settings: tuple[str, ...] = mode,
    ) -> int:
        program = programs((f"spark.driver.memory={size.heap}", *settings))
        return program.ask(size.rows(frames), size.frame, calls, window, where, counts_all)

    return asked


@pytest.mark.long
def test_numbers(run: Run) -> None:
    run(3, "sum(id)", "max(id)", "min(x)", "avg(x)", "stddev(x)")


def test_texts(run: Run) -> None:
    run(1.3, "max_by(s, x)", "count(s)", "min(s)")


@pytest.mark.parametrize("order", ["x DESC", "s, id"])
def test_rows_that_come_in_no_order(run: Run, order: str) -> None:
    run(2, "sum(id)", "max(x)", window=f"ORDER BY {order}")


@pytest.mark.parametrize("frames", [1.1, 3])
def test_rows_that_slidewise_sorts(run: Run, frames: float) -> None:
    """In one partition; the fewer fit into memory, the more do not."""
    run(frames, "sum(id)", "max(x)", "avg(x)", "stddev(x)", window="PARTITION BY hash(id) % 1 ORDER BY x, id")


def test_sketches(run: Run) -> None:
    run(1.1, "approx_count_distinct(x)")


@pytest.mark.parametrize("window", ["ORDER BY id", "PARTITION BY hash(id) % 1 ORDER BY x, id"])
def test_percentiles_and_modes(run: Run, window: str) -> None:
    run(1.3, "median(x)", "percentile(x, 0.9D)", "percentile(x, array(0.1, 0.5))", "mode(x)", window=window)


@pytest.mark.parametrize("calls", [("count(DISTINCT x)", "median(x)"), ("count(DISTINCT s)", "count(DISTINCT s, id)")])
def test_frames_whose_distinct_values_grow(run: Run, calls: tuple[str, ...]) -> None:
    run(1.3, *calls, where="growing")


@pytest.mark.parametrize("mode", [()], ids=[""])
@pytest.mark.parametrize("where", ["growing", "behind", "ahead"])
def test_frames_whose_distinct_values_exceed_the_heap(run: Run, mode: tuple[str, ...], where: str) -> None:
    """Of text that takes more bytes than the heap, and is another in each row."""
    assert run(1.3, "count(DISTINCT repeat(concat(s, id), 150))", where=where, counts_all=True) > 0


@pytest.mark.long
@pytest.mark.parametrize("mode", [()], ids=[""])
@pytest.mark.parametrize(
    "settings",
    [
        ("spark.memory.offHeap.enabled=true", "spark.memory.offHeap.size=24m"),
        ("spark.io.encryption.enabled=true", "spark.memory.fraction=0.03"),
        pytest.param(("spark.shuffle.spill.compress=false", "spark.memory.fraction=0.03"), marks=pytest.mark.long),
    ],
)
def test_through_files_of_any_kind(run: Run, settings: tuple[str, ...]) -> None:
    assert run(1.3, "max(s)", "sum(x)", settings=settings) > 0


@pytest.mark.long
@pytest.mark.parametrize("mode", [("spark.memory.fraction=0.03",)], ids=[""])
@pytest.mark.parametrize("call", ["mean_in_python(x)", "mean_in_batches(x)"])
def test_rows_that_wait_for_their_frame_in_python(run: Run, mode: tuple[str, ...], call: str) -> None:
    assert run(1.3, call, where="ahead") > 0


@pytest.mark.long
@pytest.mark.parametrize("size", [Size("1g", 1_000_000)], ids=[""])
def test_twenty_million_rows(run: Run) -> None:
    run(20, "sum(id)", "max(id)", "min(x)", "avg(x)", "stddev(x)", "max(s)")
