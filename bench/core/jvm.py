"""Runs the benchmarks' JVM programs, and reads what they say."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from plan import LATENCY_WINDOW, Cell, Effort
from shared.machine import ROOT

_PACKAGE = "org.slidewise.bench"
_CONTROL = "ControlBenchmark"
_HEAP = ["-Xms1g", "-Xmx9g"]
_SAFEPOINT = re.compile(r'^\[(\d+)ms\].*Safepoint "(\w+)".* Total: (\d+) ns')


class Programs:
    """The benchmarks, compiled."""

    def __init__(self) -> None:
        said = _run([str(ROOT / "build/sbt"), "jmh/Jmh/compile", "export jmh/Jmh/fullClasspath"])
        self._classpath = said.strip().splitlines()[-1]

    def measure(self, cell: Cell, effort: Effort) -> list[dict[str, Any]]:
        """Of each benchmark of the cell: its parameters, million operations a second, and bytes allocated by each."""
        with tempfile.TemporaryDirectory() as folder:
            into = Path(folder) / "results.json"
            wanted = rf"^{re.escape(_PACKAGE)}\.(kernels\.)?({cell.benchmark}|{_CONTROL})\."
            options = [wanted, *effort.options, "-rf", "json", "-rff", str(into), "-prof", "gc"]
            options += ["-prof", f"{_PACKAGE}.kernels.CpuTime", "-jvmArgsAppend", " ".join(_HEAP)]
            parameters = cell.parameters | ({"algorithm": ",".join(cell.algorithms)} if cell.algorithms else {})
            for name, value in parameters.items():
                options += ["-p", f"{name}={value}"]
            self._java(["org.openjdk.jmh.Main", *options])
            measured = json.loads(into.read_text())
        rates = [_rate(m) for m in measured]
        control = next(r["rate"] for r in rates if r["benchmark"].startswith(_CONTROL))
        return [r | {"control": control} for r in rates if not r["benchmark"].startswith(_CONTROL)]

    def latencies(self, operator: str, algorithm: str, rounds: int) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "safepoints.log"
            program = [f"{_PACKAGE}.latency.Latencies", operator, algorithm, str(LATENCY_WINDOW), str(rounds)]
            found = json.loads(self._java([*_HEAP, f"-Xlog:safepoint:file={log}:uptimemillis", *program]))
            found["pauses"] = _pauses(log.read_text(), found["from"], found["until"])
        return {"operator": operator, "algorithm": algorithm} | {k: v for k, v in found.items() if k != "sink"}

    def combines(self) -> list[dict[str, Any]]:
        counted: list[dict[str, Any]] = json.loads(self._java([f"{_PACKAGE}.combines.Combines"]))
        return counted

    def _java(self, arguments: list[str]) -> str:
        return _run(["java", "-cp", self._classpath, *arguments])


def _rate(measured: dict[str, Any]) -> dict[str, Any]:
    others = measured["secondaryMetrics"]
    by_name = {name.lstrip("\N{MIDDLE DOT}"): metric for name, metric in others.items()}
    rates = [round(rate / 1e6, 3) for rate in by_name["cpu"]["rawData"][0]]
    return {
        "benchmark": measured["benchmark"].split(".", 3)[-1].removeprefix("kernels."),
        **{k: v for k, v in measured.get("params", {}).items() if k != "events"},
        "rate": max(rates),
        "rates": rates,
        "bytes": round(by_name["gc.alloc.rate.norm"]["score"], 4),
    }


def _pauses(log: str, begin: int, end: int) -> dict[str, Any]:
    found = (match for match in map(_SAFEPOINT.match, log.splitlines()) if match)
    nanoseconds = [int(total) for at, _, total in (m.groups() for m in found) if begin <= int(at) <= end]
    return {"count": len(nanoseconds), "longest": max(nanoseconds, default=0), "total": sum(nanoseconds)}


def _run(command: list[str]) -> str:
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if ran.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)[:400]}: exit code {ran.returncode}\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}"
        )
    return ran.stdout
