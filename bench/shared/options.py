"""Options that benchmarks have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

_ROOT = Path(__file__).resolve().parents[2]

turns = click.option(
    "--turns", type=click.IntRange(min=1), default=3, show_default=True, help="How often each query is run."
)

longest = click.option(
    "--longest",
    type=click.FloatRange(min=0, min_open=True),
    default=120,
    show_default=True,
    help="Seconds after which a query is stopped.",
)

render = click.option("--render", is_flag=True, help="Measure nothing: make the table from the results.")

docs = click.option("--docs/--no-docs", default=True, help="Whether to write the table into the docs.")

cache = click.option(
    "--cache", type=click.Path(path_type=Path), default=_ROOT / ".build/bench-data", help="For the data."
)


def results(name: str) -> Callable[[Any], Any]:
    """The file of the benchmark's results, named like the benchmark."""
    return click.option("--results", type=click.Path(path_type=Path), default=_ROOT / f"bench/results/{name}.json")
