"""The first rows of a DataFrame as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_WIDEST = 88


def render(df: DataFrame, rows: int = 100) -> str:
    """The first rows, aligned, each value cut at 88 characters. Timestamps are in the session's time zone."""
    from pyspark.sql import functions as F  # noqa: N812

    # Python would show a timestamp in the time zone of its process. Names may repeat, so columns are numbered here.
    numbered = df.toDF(*(f"c{at}" for at in range(len(df.columns))))
    shown = numbered.select(
        *(F.col(name).cast("string") if kind == "timestamp" else F.col(name) for name, kind in numbered.dtypes)
    )
    found = shown.limit(rows + 1).collect()
    text = aligned(df.columns, found[:rows])
    return f"{text}\n… more rows" if len(found) > rows else text


def aligned(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The rows below the names, each value cut at 88 characters."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(row[at]) for row in (names, *cells)) for at in range(len(names))]
    lines: list[Sequence[str]] = [names, ["─" * width for width in widths], *cells]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.4g}" if isinstance(value, float) and abs(value) < 1e4 else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
