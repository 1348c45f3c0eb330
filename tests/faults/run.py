#!/usr/bin/env python3
"""Breaks things while queries run on Slidewise, and prints what came of each: one table.

A scenario starts a small cluster with spark-submit, asks the queries of queries.py on Spark alone, with Slidewise, and
with Slidewise while the fault happens. Exits with 1 if an answer differs, or if a file of spilled rows is left.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

from deployment.commands import HOME, SWITCHED_ON, environment, settings
from shared.markdown import between

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/faults.md"
RECORD = Path(__file__).with_name("record.json")


class Scenario(NamedTuple):
    """`fault` is one of program.py. `queries`: those of queries.py that meet it, or all."""

    what: str
    fault: str
    master: str = "local-cluster[2,1,1024]"
    conf: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()


def _with(memory: str) -> tuple[str, ...]:
    return (f"spark.executor.memory={memory}",)


SCENARIOS = [
    Scenario("an executor is killed while the first stage writes its shuffle", "killed in stage 1"),
    Scenario("an executor is killed while the windows are evaluated", "killed in stage 2"),
    Scenario(
        "an executor is killed after its rows were spilled",
        "killed in stage 2",
        conf=("spark.memory.fraction=0.05", "spark.testing.memory=80000000"),
        queries=("moving, in arrays", "moving, row by row", "without keys"),
    ),
    Scenario("each task fails once in the middle of its rows", "task fails once"),
    Scenario(
        "a slow task is run twice (speculation)",
        "speculation",
        conf=("spark.speculation=true", "spark.speculation.quantile=0.5", "spark.speculation.minTaskRuntime=100ms"),
        queries=("moving, in arrays", "moving, row by row", "median"),
    ),
    Scenario("the files of a shuffle are lost (fetch failure)", "fetch failure"),
    *(
        Scenario(
            f"executors with {memory} of memory", "nothing", f"local-cluster[1,2,{megabytes + 1024}]", _with(memory)
        )
        for memory, megabytes in (("512m", 512), ("1g", 1024), ("4g", 4096))
    ),
    Scenario("200 queries at once in one session", "200 at once", "local[2]", queries=("moving, in arrays",)),
]


def ran(scenario: Scenario, folder: Path) -> list[dict[str, Any]]:
    """The lines that program.py prints.

    Raises:
        RuntimeError: the program did not come to its end.
    """
    pairs = (
        *("spark.executor.memory=512m", "spark.sql.shuffle.partitions=4", "spark.slidewise.parallel.minRows=1000"),
        *("spark.log.level=OFF", "spark.executor.maxNumFailures=1000", *scenario.conf),
    )
    conf = [word for pair in pairs for word in ("--conf", pair)]
    program = str(Path(__file__).with_name("program.py"))
    command = [str(HOME / "bin/spark-submit"), *settings(folder), "--master", scenario.master, *conf, *SWITCHED_ON]
    done = subprocess.run(
        [*command, program, scenario.fault, *scenario.queries],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if done.returncode or not lines:
        raise RuntimeError(f"{scenario.what}: {done.stdout[-2000:]}{done.stderr[-4000:]}")
    return [json.loads(line) for line in lines]


def summary(scenario: Scenario, lines: list[dict[str, Any]]) -> dict[str, Any]:
    asked = [line for line in lines if "query" in line]
    return {
        "what": scenario.what,
        "asked": len(asked),
        "same": sum(line["same"] for line in asked),
        "times": statistics.median(line["took"] / line["alone"] for line in asked),
        "files": sum(len(line["left"]) for line in asked),
        "threads": sum(len(line.get("threads", [])) for line in lines),
        "said": [f"{line['query']}: {line['what']}" for line in asked if line["what"]],
    }


def table(found: list[dict[str, Any]]) -> str:
    lines = ["| Fault | Queries with the right answer | Time, as a multiple of the time without it | Files left |"]
    lines.append("|---|---:|---:|---:|")
    for entry in found:
        right = f"{entry['same']} of {entry['asked']}"
        lines.append(f"| {entry['what']} | {right} | {entry['times']:.1f} | {entry['files']} |")
    return "\n".join(lines)


def record(found: dict[str, dict[str, Any]]) -> None:
    order = [found[scenario.what] for scenario in SCENARIOS if scenario.what in found]
    RECORD.write_text(json.dumps(order, indent=1) + "\n")
    PAGE.write_text(between("faults", table(order), PAGE.read_text()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="run the scenarios whose descriptions contain this text")
    arguments = parser.parse_args()
    found = {entry["what"]: entry for entry in json.loads(RECORD.read_text())} if RECORD.exists() else {}
    wrong = False
    for scenario in SCENARIOS:
        if arguments.only not in scenario.what:
            continue
        with tempfile.TemporaryDirectory() as folder:
            entry = summary(scenario, ran(scenario, Path(folder)))
        found[scenario.what] = entry
        wrong |= entry["same"] < entry["asked"] or entry["files"] > 0 or entry["threads"] > 0
        print(json.dumps(entry), flush=True)
        record(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
