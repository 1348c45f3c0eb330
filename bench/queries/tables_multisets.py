"""The table of DISTINCT aggregates, percentiles and modes."""

from __future__ import annotations

from engines import DUCKDB, SLIDEWISE
from multisets import BASE, OVER
from record import Group, Measurement
from shared.markdown import head, row

_TIMES = "\N{MULTIPLICATION SIGN}"


def multisets(group: Group) -> list[str]:
    """For each length Slidewise's seconds, and their ratios to its own sum and to DuckDB's seconds."""
    lengths = sorted({m.length for m in group.measurements})
    columns = (f"{n:,} rows in a frame" for n in lengths)
    lines = head("function", "values", *columns, "slowest ÷ fastest length")
    for label in dict.fromkeys(m.label for m in group.measurements):
        function, _, values = label.partition(OVER)
        cells = (_cell(group, function, values, length) for length in lengths)
        lines.append(row(f"`{function}`", values, *cells, _growth(group, label)))
    return lines


def _cell(group: Group, function: str, values: str, length: int) -> str:
    mine, duckdb = (_find(group, function + OVER + values, length, engine) for engine in (SLIDEWISE, DUCKDB))
    if mine is None:
        return "-"
    base = _find(group, BASE + OVER + values, length, SLIDEWISE)
    ratios = [f"{mine.median / base.median:.2f} {_TIMES} sum"] if base and base is not mine else []
    ratios += [f"{mine.median / duckdb.median:.2f} {_TIMES} DuckDB"] if duckdb else []
    return f"{mine.median:.2f} s" + (f" ({', '.join(ratios)})" if ratios else "")


def _growth(group: Group, label: str) -> str:
    seconds = [m.median for m in group.measurements if (m.label, m.engine) == (label, SLIDEWISE)]
    return f"{max(seconds) / min(seconds):.2f} {_TIMES}" if len(seconds) > 1 else "-"


def _find(group: Group, label: str, length: int, engine: str) -> Measurement | None:
    found = (m for m in group.measurements if (m.label, m.length, m.engine) == (label, length, engine))
    return next((m for m in found if m.rows == m.rows_of_case), None)
