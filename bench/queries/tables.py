"""The markdown tables of the docs, made from the results and from nothing else."""

from __future__ import annotations

from pathlib import Path

import tables_inside
import tables_multisets
from cases import FUNCTIONS, HEADLINE, MULTISETS, PHASES, SHAPES, Case, Frame
from engines import ELSEWHERE, FLOOR, SEGMENT_TREE, SLIDEWISE, SPARK
from record import Group, Measurement
from shared import machine
from shared.markdown import between, head, row

SUMMARY = (
    "sum, last 1,000 rows",
    "max_by, last 1,000 rows",
    "percentile_approx, last 1,000 rows",
    "sum, UNBOUNDED FOLLOWING",
    "collect_list, last 10 rows",
)
_OTHERS = (SEGMENT_TREE, *ELSEWHERE)
_OWN_MARKER = {HEADLINE: "queries", FUNCTIONS: "functions", SHAPES: "shapes", PHASES: "phases", MULTISETS: MULTISETS}


def render(groups: dict[str, Group], root: Path) -> None:
    """Puts every table between its markers, in the files that have them."""
    by_marker = {marker: [name] for name, marker in _OWN_MARKER.items()}
    by_marker["lengths"] = [name for name in groups if name not in _OWN_MARKER]
    found = {marker: [groups[name] for name in names if name in groups] for marker, names in by_marker.items()}
    made = {marker: "\n\n".join(map(of, some)) for marker, some in found.items()}
    if HEADLINE in groups:
        made["summary"] = "\n".join(_summary(groups[HEADLINE]))
    for path in (root / "README.md", root / "docs/performance.md", root / "docs/functions-cost.md"):
        if not path.exists():
            continue
        text = path.read_text()
        for marker, tables in made.items():
            text = between(marker, tables, text) if tables else text
        path.write_text(text)


def of(group: Group) -> str:
    kinds = {HEADLINE: _headline, FUNCTIONS: _functions, SHAPES: _shapes, PHASES: tables_inside.phases}
    kinds |= {MULTISETS: tables_multisets.multisets}
    return "\n".join([*kinds.get(group.name, _lengths)(group), "", _where(group)])


def _headline(group: Group) -> list[str]:
    shown = _measured(group)
    lines = head("query", "rows", "Spark", "Slidewise", "Spark ÷ Slidewise", *shown, FLOOR)
    for case, rows in _trials(group):
        on, off = group.find(case, SLIDEWISE, rows), group.find(case, SPARK, rows)
        others = (_median(group.find(case, engine, rows)) for engine in shown)
        lines.append(
            row(
                case,
                f"{rows:,}",
                off.spread if off else _expected(group, case, SPARK),
                on.spread if on else _expected(group, case, SLIDEWISE),
                ratio_of(off, on),
                *others,
                _median(group.floor(rows, case)),
            )
        )
    return lines


def _summary(group: Group) -> list[str]:
    """The README's five lines: the most rows of a case on which Spark was timed."""
    lines = head("query", "rows", "Spark", "Slidewise", "Spark ÷ Slidewise")
    timed = {case: rows for case, rows in _trials(group) if case in SUMMARY and group.find(case, SPARK, rows)}
    for case, rows in timed.items():
        on, off = group.find(case, SLIDEWISE, rows), group.find(case, SPARK, rows)
        lines.append(row(case, f"{rows:,}", _median(off), _median(on), ratio_of(off, on)))
    return lines


def _lengths(group: Group) -> list[str]:
    lines = [f"**{group.name}**", ""]
    shown = _measured(group)
    lines += head("rows in a frame", "rows", "Spark", *shown, "Slidewise", "Spark ÷ Slidewise", "Slidewise ÷ floor")
    for case, rows in _trials(group):
        on, off = group.find(case, SLIDEWISE, rows), group.find(case, SPARK, rows)
        lines.append(
            row(
                f"{_any(group, case).length:,}",
                f"{rows:,}",
                off.spread if off else _expected(group, case, SPARK),
                *(_median(group.find(case, engine, rows)) for engine in shown),
                on.spread if on else _expected(group, case, SLIDEWISE),
                ratio_of(off, on),
                ratio_of(on, group.floor(rows)),
            )
        )
    whole = [m.median for m in group.measurements if m.engine == SLIDEWISE and m.rows == m.rows_of_case]
    floor = next((m for m in group.measurements if m.engine == FLOOR), None)
    if whole and floor:
        ratio = f"{max(whole) / min(whole):.2f} \N{MULTIPLICATION SIGN}"
        flat = f"Slidewise's slowest length takes {ratio} the time of its fastest"
        lines += ["", f"The floor is `row_number()` over the same window: {floor.spread}. {flat}."]
    return lines


def _functions(group: Group) -> list[str]:
    lengths = sorted({m.length for m in group.measurements if m.engine != FLOOR})
    lines = head("function", *(f"{n:,} rows in a frame" for n in lengths))
    for label in dict.fromkeys(m.label for m in group.measurements):
        lines.append(row(f"`{label}`", *(_cost(group, label, length) for length in lengths)))
    return lines


def _shapes(group: Group) -> list[str]:
    lengths = sorted({m.length for m in group.measurements})
    lines = head("what", *(f"{n:,} rows in a frame" for n in lengths), "most memory of a task")
    for label in dict.fromkeys(m.label for m in group.measurements):
        lines.append(row(label, *(_cost(group, label, length) for length in lengths), _memory(group, label)))
    return lines


def _memory(group: Group, label: str) -> str:
    """Spark's and Slidewise's, on the same rows: for the length for which Slidewise fares worst."""
    mine = [m for m in group.measurements if m.label == label and m.engine == SLIDEWISE and m.memory is not None]
    both = ((group.find(m.case, SPARK, m.rows), m.memory) for m in mine)
    pairs = [(off.memory, on) for off, on in both if off and off.memory and on is not None]
    if not pairs:
        return "-"
    spark, slidewise = max(pairs, key=lambda pair: pair[1] / pair[0])
    return f"{spark / 2**20:,.0f} \N{RIGHTWARDS ARROW} {slidewise / 2**20:,.0f} MiB"


def _cost(group: Group, label: str, length: int) -> str:
    """Spark's and Slidewise's seconds on the same rows: all of the case's, or as many as both can do."""
    mine = [m for m in group.measurements if (m.label, m.length) == (label, length)]
    pairs = ((group.find(m.case, SPARK, m.rows), m) for m in mine if m.engine == SLIDEWISE)
    both = [(off, on) for off, on in pairs if off is not None]
    if not both:
        return f"Spark {_expected(group, mine[0].case, SPARK) if mine else _unmeasured(group, label, length)}"
    off, on = max(both, key=lambda pair: pair[1].rows)
    fewer = "" if on.rows == on.rows_of_case else f" on {on.rows:,} rows"
    return f"{off.median:.2f} → {on.median:.2f} s{fewer} ({off.median / on.median:.1f} \N{MULTIPLICATION SIGN})"


def _unmeasured(group: Group, label: str, length: int) -> str:
    return _expected(group, Case(FUNCTIONS, label, label, Frame.ROWS, length, 0).name, SPARK)


def _measured(group: Group) -> list[str]:
    """The other engines that were there, and given their turns."""
    return [engine for engine in _OTHERS if any(m.engine == engine for m in group.measurements)]


def _trials(group: Group) -> list[tuple[str, int]]:
    """Each case with each number of rows that it was measured on."""
    return list(dict.fromkeys((m.case, m.rows) for m in group.measurements if m.engine != FLOOR))


def _any(group: Group, case: str) -> Measurement:
    return next(m for m in group.measurements if m.case == case)


def _expected(group: Group, case: str, engine: str) -> str:
    seconds = next((n.expected_seconds for n in group.not_run if (n.case, n.engine) == (case, engine)), None)
    return "-" if seconds is None else f"not run: about {seconds:,.0f} s"


def _median(measurement: Measurement | None) -> str:
    return f"{measurement.median:.2f} s" if measurement else "-"


def ratio_of(one: Measurement | None, other: Measurement | None) -> str:
    return f"{one.median / other.median:.2f} \N{MULTIPLICATION SIGN}" if one and other else "-"


def _where(group: Group) -> str:
    at = group.where
    versions = ", ".join(f"{name} {version}" for name, version in at["versions"].items() if version)
    repeated = max(len(m.seconds) for m in group.measurements)
    on = f"{at['threads']} threads on {machine.words(at)}"
    return (
        f"Whole queries: median (least to most) of up to {repeated} turns. "
        f"Slidewise {at['slidewise']} ({at['commit']}); {versions}; {on}; {at['date']}."
    )
