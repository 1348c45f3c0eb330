"""The tables of docs/performance-streams.md, made from the results and from nothing else."""

from __future__ import annotations

import statistics
from pathlib import Path

from cases import FLOORS, GROUPS, ROW_TIMES, Case
from record import Measurement, Record
from shared import machine
from shared.markdown import between, head, row
from variants import SLIDEWISE

FLOOR = FLOORS[1]
_TIMES = "\N{MULTIPLICATION SIGN}"


def render(records: dict[str, Record], root: Path) -> None:
    path = root / "docs/performance-streams.md"
    text = path.read_text()
    for name, record in records.items():
        text = between(marker(name), of(record), text)
    path.write_text(text)


def marker(name: str) -> str:
    return "streams-" + name.replace(",", "").replace(" ", "-")


def of(record: Record) -> str:
    lines = _row_times(record) if record.name == ROW_TIMES else _rates(record)
    return "\n".join([*lines, "", _where(record)])


def _rates(record: Record) -> list[str]:
    floor = named(record, FLOOR)
    lines = head(
        "query", "rows", "seconds", "rows a second", f"{_TIMES} floor", "processor seconds", "a batch, ms", "state rows"
    )
    for m in record.measurements:
        lines.append(
            row(
                f"{m.variant}: {_words(m.case)}" if m.case else m.variant,
                f"{m.rows:,}",
                _spread(m.seconds, 2),
                f"{m.rate:,.0f}",
                f"{m.rate / floor.rate:.2f}" if floor else "-",
                f"{statistics.median(m.processor):.2f}",
                _spread([float(b) for b in m.batches], 0),
                f"{m.state_rows:,}" if m.state_rows else "-",
            )
        )
    return [*lines, "", *_goals(record)]


def _goals(record: Record) -> list[str]:
    """Of each aggregate: how its time depends on the frame's length, and how near its slowest is to the floor."""
    ours = [m for m in record.measurements if m.variant == SLIDEWISE and m.case]
    floor = named(record, FLOOR)
    lines = []
    for aggregate in dict.fromkeys(m.case.aggregate for m in ours if m.case):
        mine = [m for m in ours if m.case and m.case.aggregate == aggregate]
        lengths = [m for m in mine if m.case and isinstance(m.case.frame, int)]
        if len(lengths) > 1:
            shortest, longest = lengths[0], lengths[-1]
            frames = [m.case.frame_in_words for m in (longest, shortest) if m.case]
            lines.append(f"- {aggregate}: {frames[0]} take {_ratios(longest, shortest)} of {frames[1]}.")
        if floor:
            slowest = min(mine, key=lambda m: m.rate)
            assert slowest.case
            took = f"{slowest.case.frame_in_words}, takes {_ratios(slowest, floor)} of {FLOOR}"
            lines.append(
                f"- {aggregate}: the slowest, {took}, and does {slowest.rate / floor.rate:.2f} of its rows a second."
            )
    return lines


def ratios(one: Measurement, other: Measurement) -> tuple[float, float]:
    """Of the time, and of the processor time."""
    wall = statistics.median(one.seconds) / statistics.median(other.seconds)
    return wall, statistics.median(one.processor) / statistics.median(other.processor)


def _ratios(one: Measurement, other: Measurement) -> str:
    wall, busy = ratios(one, other)
    return f"{wall:.2f} {_TIMES} the time ({busy:.2f} {_TIMES} the processor time)"


def _row_times(record: Record) -> list[str]:
    worst = ("worst", "worst \N{DIVISION SIGN} median", "worst by processor", "that \N{DIVISION SIGN} median")
    lines = head("rows out of", "mode", "median", "99 %", "99.9 %", "99.99 %", *worst)
    for times in record.row_times:
        medians = [statistics.median(at) for at in zip(*times.quantiles, strict=True)]
        mode = ("eager" if times.case.eager else "append") if times.case else "-"
        what = _words(times.case) if times.case else "the shuffle alone"
        busy = statistics.median(times.processor) if times.processor else None
        by_processor = (_duration(busy), f"{busy / medians[0]:,.0f}") if busy is not None else ("-", "-")
        ratio = f"{medians[-1] / medians[0]:,.0f}"
        lines.append(row(what, mode, *(_duration(t) for t in medians), ratio, *by_processor))
    return lines


def _duration(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e3:,.1f} µs" if nanoseconds < 1e6 else f"{nanoseconds / 1e6:,.1f} ms"


def named(record: Record, variant: str) -> Measurement | None:
    return next((m for m in record.measurements if m.variant == variant), None)


def _words(case: Case | None) -> str:
    return f"{case.aggregate}, {case.frame_in_words}" if case else ""


def _spread(values: list[float], digits: int) -> str:
    if not values:
        return "-"
    return f"{statistics.median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def _where(record: Record) -> str:
    at = record.where
    turns = max((len(m.seconds) for m in record.measurements), default=0) or len(record.row_times[0].quantiles)
    return (
        f"Median (least to most) of {turns} turns. Slidewise {at['slidewise']} ({at['commit']}), Spark {at['spark']}, "
        f"{at['files']} files, {at['threads']} threads on {machine.words(at)}; {at['date']}."
    )


NAMES = [group.name for group in GROUPS] + [ROW_TIMES]
