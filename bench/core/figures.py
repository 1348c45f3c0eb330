"""The pictures of the papers' experiments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Measurements = list[dict[str, Any]]


def draw(found: dict[str, dict[str, Any]], folder: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    rounds = "million rounds a second"
    kinds: dict[str, tuple[str, str, Callable[[Axes, Measurements], None]]] = {
        "static": ("elements in the window", rounds, lambda axes, ms: _throughput(axes, ms, "window")),
        "dynamic": (
            "elements in the full window",
            "million elements a second",
            lambda axes, ms: _throughput(axes, ms, "window"),
        ),
        "event time": ("window", "million events a second", lambda axes, ms: _throughput(axes, ms, "minutes")),
        "latency": ("share of rounds that take longer", "nanoseconds a round", _latency),
    }
    for experiment, (x, y, panel) in kinds.items():
        if experiment in found:
            figure = _figure(found[experiment]["measurements"], x, y, panel)
            figure.savefig(folder / f"core-{experiment.replace(' ', '-')}.png", dpi=130)


def _figure(measurements: Measurements, x: str, y: str, panel: Callable[[Axes, Measurements], None]) -> Figure:
    from matplotlib import pyplot

    operators = list(dict.fromkeys(m["operator"] for m in measurements))
    width = 4.6 if len(operators) > 1 else 7
    figure, panels = pyplot.subplots(1, len(operators), figsize=(width * len(operators), 4.8), squeeze=False)
    handles: dict[str, Any] = {}
    for axes, operator in zip(panels[0], operators, strict=True):
        panel(axes, [m for m in measurements if m["operator"] == operator])
        axes.set(title=names.OPERATORS[operator], xlabel=x)
        axes.grid(alpha=0.25, which="major")
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    panels[0][0].set_ylabel(y)
    columns = min(len(handles), 4 if len(operators) == 1 else 6)
    figure.legend(handles.values(), handles, loc="lower center", ncols=columns, frameon=False, fontsize=8.5)
    lines = -(-len(handles) // columns)
    figure.tight_layout(rect=(0, 0.02 + 0.05 * lines, 1, 1))
    return figure


def _throughput(axes: Axes, measurements: Measurements, length: str) -> None:
    for algorithm in sorted({m["algorithm"] for m in measurements}, key=names.order):
        points = sorted((int(m[length]), m["rate"]) for m in measurements if m["algorithm"] == algorithm)
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3.5, **names.style(algorithm))
    lengths = sorted({int(m[length]) for m in measurements})
    axes.set_xscale("log", base=2)
    words = names.power if length == "window" else names.duration
    axes.set_xticks(lengths, [words(n) for n in lengths], rotation=0 if length == "window" else 30)
    axes.minorticks_off()
    axes.set_ylim(bottom=0)


def _latency(axes: Axes, measurements: Measurements) -> None:
    for m in sorted(measurements, key=lambda m: names.order(m["algorithm"])):
        control = _curve(m["control"], m["rounds"])
        axes.plot(*control, color="#999999", linewidth=0.9, linestyle=":", label="the controls, which have no window")
    for m in sorted(measurements, key=lambda m: names.order(m["algorithm"])):
        axes.plot(*_curve(m["window"], m["rounds"]), **(names.style(m["algorithm"]) | {"linestyle": "-"}))
    axes.set(xscale="log", yscale="log")
    axes.invert_xaxis()
    axes.yaxis.set_major_formatter("{x:,.0f}")


def _curve(times: dict[str, Any], rounds: int) -> tuple[list[float], list[int]]:
    """From the median to the share that is one round of all."""
    points = [(beyond, time) for beyond, time in times["curve"] if 1 / rounds < beyond < 0.6]
    points.append((1 / rounds, times["max"]))
    return [beyond for beyond, _ in points], [time for _, time in points]
