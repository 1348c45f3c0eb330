"""A few rows of a DataFrame as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_WIDEST = 88


def render(df: DataFrame, rows: int = 100) -> str:
    """The first rows, aligned, each value cut at 88 characters."""
    found = df.limit(rows + 1).collect()
    cells = [[_cell(value) for value in row] for row in found[:rows]]
    names = df.columns
    widths = [max(len(row[at]) for row in [names, *cells]) for at in range(len(names))]
    lines = [names, ["─" * width for width in widths], *cells]
    text = "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
    return f"{text}\n… more rows" if len(found) > rows else text


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.4g}" if isinstance(value, float) and abs(value) < 1e4 else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
