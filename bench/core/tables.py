"""The markdown tables of the docs, made from the results and from nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import names
from shared import machine
from shared.markdown import between, head, row

Measurements = list[dict[str, Any]]


def render(found: dict[str, dict[str, Any]], root: Path) -> None:
    """Puts every table between its markers, in the files that have them."""
    makers: dict[str, Callable[[Measurements], list[str]]] = {
        "static": lambda ms: _throughputs(ms, "window", names.power),
        "dynamic": lambda ms: _throughputs(ms, "window", names.power),
        "event time": lambda ms: _throughputs(ms, "minutes", names.duration),
        "latency": _latencies,
        "combines": _combines,
        "checkpoints": _checkpoints,
    }
    for path in (root / "docs/performance-core.md", root / "docs/algorithms-batch.md"):
        text = path.read_text()
        for experiment, make in makers.items():
            if experiment in found:
                lines = [*make(found[experiment]["measurements"]), "", _where(found[experiment])]
                text = between(f"core-{experiment.replace(' ', '-')}", "\n".join(lines), text)
        path.write_text(text)


def _throughputs(measurements: Measurements, length: str, words: Callable[[int], str]) -> list[str]:
    """An operator a table, an algorithm a row, a window a column."""
    lines: list[str] = []
    for operator, mine in _grouped(measurements, "operator"):
        lengths = sorted({int(m[length]) for m in mine})
        lines += ["", f"**{names.OPERATORS[operator]}**", "", *head("", *map(words, lengths), "bytes")]
        for algorithm in sorted({m["algorithm"] for m in mine}, key=names.order):
            cells = {int(m[length]): m for m in mine if m["algorithm"] == algorithm}
            rates = (_rate(cells[n]["rate"]) if n in cells else "" for n in lengths)
            most = max(m["bytes"] for m in cells.values())
            lines.append(row(names.name(algorithm), *rates, f"{most:.1f}"))
    return [*lines[1:], "", _control(measurements)]


def _latencies(measurements: Measurements) -> list[str]:
    lines: list[str] = []
    for operator, mine in _grouped(measurements, "operator"):
        columns = ("median", "99.9 %", "99.999 %", "maximum", "control: 99.9 %", "99.999 %", "maximum", "JVM's pauses")
        lines += ["", f"**{names.OPERATORS[operator]}**", "", *head("", *columns)]
        for m in sorted(mine, key=lambda m: names.order(m["algorithm"])):
            window, control, pauses = m["window"], m["control"], m["pauses"]
            times = [window[mark] for mark in ("median", "p99.9", "p99.999", "max")]
            times += [control[mark] for mark in ("p99.9", "p99.999", "max")]
            longest = f"{pauses['count']}, up to {_time(pauses['longest'])}" if pauses["count"] else "none"
            lines.append(row(names.name(m["algorithm"]), *map(_time, times), longest))
    rounds = {m["rounds"] for m in measurements}
    return [*lines[1:], "", f"{' or '.join(f'{r:,}' for r in sorted(rounds))} rounds each, one sample a round."]


def _combines(measurements: Measurements) -> list[str]:
    algorithms = list(measurements[0]["combines"])
    lines = head("frames", "elements", "windows", *algorithms)
    for m in measurements:
        counts = (f"{m['combines'][algorithm]:,}" for algorithm in algorithms)
        lines.append(row(m["shape"], f"{m['elements']:,}", f"{m['frames']:,}", *counts))
    return lines


def _checkpoints(measurements: Measurements) -> list[str]:
    columns = ("checkpoints", "SWA", "Two-Stacks Lite", "checkpoints ÷ better of both", "bytes (checkpoints)")
    lines = head("order, window", *columns)
    for order, mine in _grouped(measurements, "order"):
        for window in sorted({int(m["window"]) for m in mine}):
            rates = {m["benchmark"].split(".by")[1]: m for m in mine if int(m["window"]) == window}
            own, swa, stacks = (rates[by]["rate"] for by in ("Checkpoints", "Swa", "TwoStacksLite"))
            ratio = f"{own / max(swa, stacks):.2f} \N{MULTIPLICATION SIGN}"
            cells = (_rate(own), _rate(swa), _rate(stacks), ratio, f"{rates['Checkpoints']['bytes']:.0f}")
            lines.append(row(f"{order}, {window:,}", *cells))
    return [*lines, "", _control(measurements)]


def _grouped(measurements: Measurements, key: str) -> Iterable[tuple[str, Measurements]]:
    values = dict.fromkeys(m[key] for m in measurements)
    return ((value, [m for m in measurements if m[key] == value]) for value in values)


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.1f}" if rate >= 1 else f"{rate:.2f}"


def _time(nanoseconds: int) -> str:
    for unit, length in (("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= length:
            time = nanoseconds / length
            return f"{time:.3g} {unit}" if time < 1000 else f"{time:,.0f} {unit}"
    return f"{nanoseconds} ns"


def _control(measurements: Measurements) -> str:
    controls = [m["control"] for m in measurements]
    return f"The control made {min(controls):.0f} to {max(controls):.0f} million steps a second meanwhile."


def _where(experiment: dict[str, Any]) -> str:
    at = experiment["where"]
    return f"Slidewise {at['slidewise']} ({at['commit']}), {at['form']} form; {machine.words(at)}; {at['date']}."
