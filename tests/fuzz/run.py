#!/usr/bin/env python3
"""Asks random queries with new seeds until the time is over, with Slidewise on and off.

A query that fails is made as small as it goes and written as a test to `tests/found`. Each round of some minutes runs
in a process of its own, whose JVM may crash. The record of the run is `.build/fuzz/<time>.log`.

Exits with 3 if something was found, and with 1 if only rounds crashed.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))
ROUND_MINUTES = 15.0
ALL = "all"
# Not 1, with which Python ends after any uncaught error.
FOUND = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=1.0, help="how long to ask; 0 for one round")
    parser.add_argument("--kinds", default=ALL, help="the kinds of queries, with commas")
    parser.add_argument("--seed", type=int, help="the seed of the only round; random unless named")
    parser.add_argument("--round", type=float, metavar="MINUTES", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.round:
        return _round(arguments.kinds, arguments.seed, arguments.round)
    folder = TESTS.parent / ".build/fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{time.strftime('%Y-%m-%dT%H-%M-%S')}.log"
    end, found, crashed = time.monotonic() + arguments.hours * 3600, 0, 0
    while True:
        left = (end - time.monotonic()) / 60
        minutes = min(ROUND_MINUTES, max(left, 1.0))
        seed = arguments.seed if arguments.seed is not None else random.randrange(10**9)
        command = [sys.executable, __file__, "--round", str(minutes), "--kinds", arguments.kinds, "--seed", str(seed)]
        with log.open("a") as output:
            done = subprocess.run(command, check=False, stdout=output, stderr=subprocess.STDOUT)
        found += done.returncode == FOUND
        ended = done.returncode in (0, FOUND)
        crashed += not ended
        print(f"seed {seed}: {_last_line(log) if ended else f'crashed ({done.returncode}), see {log}'}", flush=True)
        if arguments.seed is not None or time.monotonic() >= end:
            return FOUND if found else min(crashed, 1)


def _last_line(log: Path) -> str:
    return next((line for line in reversed(log.read_text().splitlines()) if line.startswith("asked")), "")


def _round(kinds: str, seed: int, minutes: float) -> int:
    from session import local_session

    from fuzz.rounds import KINDS, fuzz

    names = list(KINDS) if kinds == ALL else kinds.split(",")
    with tempfile.TemporaryDirectory() as folder:
        spark = local_session(Path(folder))
        try:
            return FOUND if fuzz(spark, names, seed, minutes * 60, Path(folder)) else 0
        finally:
            spark.stop()


if __name__ == "__main__":
    sys.exit(main())
