"""The experiments of the papers, on the JVM: throughputs, latencies, and combines counted."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import click
import figures
import flights
import plan
import tables
from plan import Cell, Effort
from shared import machine
from shared.machine import ROOT

from jvm import Programs

Results = dict[str, dict[str, Any]]
FORMS = click.Choice(["short", "full"])


def experiments(grid: str, effort: Effort, cache: Path) -> dict[str, Callable[[Programs], list[dict[str, Any]]]]:
    def throughputs(cells: list[Cell]) -> Callable[[Programs], list[dict[str, Any]]]:
        return lambda programs: [rate for cell in cells for rate in _told(programs.measure(cell, effort))]

    def latencies(programs: Programs) -> list[dict[str, Any]]:
        return [programs.latencies(*pair, effort.rounds) for pair in plan.latencies(grid)]

    return {
        "combines": lambda programs: programs.combines(),
        "static": throughputs(plan.static(grid)),
        "latency": latencies,
        "dynamic": throughputs(plan.dynamic(grid)),
        "event time": throughputs(plan.event_time(grid, str(flights.events(cache)))),
        "checkpoints": throughputs(plan.checkpoints(grid)),
    }


@click.command()
@click.option("--short", "form", flag_value="short", default="short", help="Some minutes (default).")
@click.option("--full", "form", flag_value="full", help="Hours: all windows, algorithms and operators.")
@click.option("--grid", type=FORMS, help="Which windows, algorithms and operators, instead of the form's own.")
@click.option("--only", multiple=True, help="Only this experiment; may be given more than once.")
@click.option("--render", is_flag=True, help="Measure nothing: make the tables and the pictures from the results.")
@click.option("--docs/--no-docs", default=True, help="Whether to write the tables and the pictures into the docs.")
@click.option("--results", type=click.Path(path_type=Path), default=ROOT / "bench/results/core.json")
@click.option("--cache", type=click.Path(path_type=Path), default=ROOT / ".build/bench-data", help="For the data.")
def main(
    form: str, grid: str | None, only: tuple[str, ...], render: bool, docs: bool, results: Path, cache: Path
) -> None:
    """Runs the experiments in turns, and writes what it found."""
    found: Results = json.loads(results.read_text()) if results.exists() else {}
    if not render:
        chosen = experiments(grid or form, plan.EFFORTS[form], cache)
        unknown = [name for name in only if name not in chosen]
        if unknown:
            raise click.BadParameter(f"{unknown[0]!r} is not among {', '.join(chosen)}", param_hint="--only")
        start = time.perf_counter()
        programs = Programs()
        for name in only or chosen:
            click.echo(f"{time.perf_counter() - start:7.1f} s  {name}")
            measurements = chosen[name](programs)
            found[name] = {"where": machine.where(form), "measurements": measurements}
            results.parent.mkdir(parents=True, exist_ok=True)
            results.write_text(json.dumps(found, indent=1) + "\n")
        click.echo(f"{time.perf_counter() - start:7.1f} s  done")
    if docs:
        tables.render(found, ROOT)
        figures.draw(found, ROOT / "docs/img")


def _told(rates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for rate in rates:
        words = " ".join(str(v) for k, v in rate.items() if k not in ("rate", "rates", "bytes", "control"))
        click.echo(f"           {words}: {rate['rate']:.1f} M/s, {rate['bytes']:.3f} B")
    return rates


if __name__ == "__main__":
    main()
