#!/usr/bin/env python3
"""Breaks things while queries run on Slidewise, and prints what came of each: one table.

A scenario starts a small cluster with spark-submit, asks the queries of queries.py on Spark alone, with Slidewise, and
with Slidewise while the fault happens. Exits with 1 if an answer differs, or if something is left: files of tasks in
the session, any file once the session has ended, and threads that Spark's own queries did not start.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

from deployment.commands import HOME, SWITCHED_ON, environment, free_port, running, settings
from shared.markdown import between

from faults.left import files_left, settled

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/faults.md"
RECORD = Path(__file__).with_name("record.json")


class Scenario(NamedTuple):
    """`fault` is one of program.py. `queries`: those of queries.py that meet it, or all.

    hosts: where the workers of a standalone cluster run, in place of `master`
    """

    what: str
    fault: str
    master: str = "local-cluster[2,1,1024]"
    conf: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def _with(memory: str) -> tuple[str, ...]:
    return (f"spark.executor.memory={memory}",)


SCENARIOS = [
    Scenario("an executor is killed while the first stage writes its shuffle", "killed in stage 1"),
    Scenario("an executor is killed while the windows are evaluated", "killed in stage 2"),
    Scenario(
        "an executor is killed after its rows were spilled",
        "killed with spills",
        # 4 MB for the rows. With its usual reserve of 300 MB, Spark refuses less than 450 MB.
        conf=("spark.memory.fraction=0.05", "spark.testing.memory=80000000", "spark.testing.reservedMemory=0"),
        queries=("moving, in arrays", "moving, row by row", "without keys"),
    ),
    Scenario("each task fails once in the middle of its rows", "task fails once"),
    Scenario(
        "a slow task is run twice (speculation)",
        "speculation",
        conf=("spark.speculation=true", "spark.speculation.quantile=0.5", "spark.speculation.minTaskRuntime=100ms"),
        queries=("moving, in arrays", "moving, row by row", "median"),
        # A second attempt runs on another host.
        hosts=("127.0.0.1", "127.0.0.2"),
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


@contextmanager
def master(scenario: Scenario, folder: Path) -> Iterator[str]:
    """The scenario's master, or that of a cluster with a worker on each of its hosts."""
    if not scenario.hosts:
        yield scenario.master
        return
    local, port, deploy = "127.0.0.1", str(free_port()), "org.apache.spark.deploy"
    listening = ("--host", local, "--port", port, "--webui-port", "0")
    with ExitStack() as daemons:
        daemons.enter_context(running(folder, "master", "spark-class", f"{deploy}.master.Master", *listening))
        for host in scenario.hosts:
            worker = ("--host", host, "--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(folder))
            command = ("spark-class", f"{deploy}.worker.Worker", *worker, f"spark://{local}:{port}")
            daemons.enter_context(running(folder, host, *command))
            log = folder / f"{host}.log"
            settled(log.read_text, lambda said: "Successfully registered" in said, seconds=90)
        yield f"spark://{local}:{port}"


def ran(scenario: Scenario, folder: Path) -> list[dict[str, Any]]:
    """The lines that program.py prints, and the files that are there after its end.

    Raises:
        RuntimeError: the program did not come to its end.
    """
    pairs = (
        *("spark.executor.memory=512m", "spark.sql.shuffle.partitions=4", "spark.slidewise.parallel.minRows=1000"),
        *("spark.log.level=OFF", "spark.executor.maxNumFailures=1000", *scenario.conf),
    )
    conf = [word for pair in pairs for word in ("--conf", pair)]
    program = str(Path(__file__).with_name("program.py"))
    temporary = folder / "tmp"
    temporary.mkdir()
    submit = [str(HOME / "bin/spark-submit"), *settings(folder), *conf, *SWITCHED_ON]
    with master(scenario, folder) as address:
        done = subprocess.run(
            [*submit, "--master", address, program, scenario.fault, *scenario.queries],
            cwd=folder,
            env=environment() | {"JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={temporary}", "TMPDIR": str(temporary)},
            capture_output=True,
            text=True,
            check=False,
        )
    lines = [line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if done.returncode or not lines:
        raise RuntimeError(f"{scenario.what}: {done.stdout[-2000:]}{done.stderr[-4000:]}")
    after = settled(lambda: files_left([folder / "local", temporary]), lambda left: not left, seconds=10)
    return [*(json.loads(line) for line in lines), {"after": after}]


def summary(scenario: Scenario, lines: list[dict[str, Any]]) -> dict[str, Any]:
    asked = [line for line in lines if "query" in line]
    return {
        "what": scenario.what,
        "asked": len(asked),
        "same": sum(line["same"] for line in asked),
        "times": statistics.median(line["took"] / line["alone"] for line in asked),
        "files": sum(len(line.get("left", [])) + len(line.get("after", [])) for line in lines),
        "threads": sum(len(line.get("threads", [])) for line in lines),
        "said": [
            *(f"{line['query']}: {line['what']}" for line in asked if line["what"]),
            *(name for line in lines for kind in ("left", "after", "threads") for name in line.get(kind, [])),
        ],
    }


def table(found: list[dict[str, Any]]) -> str:
    columns = (
        "Queries with the right answer",
        "Time, as a multiple of the time without it",
        "Files left",
        "Threads left",
    )
    lines = [f"| Fault | {' | '.join(columns)} |", "|---" + "|---:" * len(columns) + "|"]
    for entry in found:
        right = f"{entry['same']} of {entry['asked']}"
        lines.append(f"| {entry['what']} | {right} | {entry['times']:.1f} | {entry['files']} | {entry['threads']} |")
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
