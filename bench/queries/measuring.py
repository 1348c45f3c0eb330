"""Measures a group of cases: probed, checked for the same answers, then run in turns."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cases import FUNCTIONS, MULTISETS, SHAPES, Case
from data import smaller
from engines import FLOOR, SLIDEWISE, SPARK, Engine
from record import Measurement, NotRun
from shared.turns import drawn
from spark_engines import Spark

_LONG_ENOUGH = 0.5
"""Seconds that a probe takes at least, so that it is not all start-up."""

_WARM_UPS = 5


@dataclass(frozen=True)
class Effort:
    repetitions: int
    longest: float
    """Seconds that one query may take: what would take longer runs on fewer rows, or not at all."""

    @property
    def patience(self) -> float:
        """Seconds after which a query is not repeated once more."""
        return 1.5 * self.longest


@dataclass
class Contender:
    case: Case
    engine: Engine
    rows: int
    seconds: list[float] = field(default_factory=list)
    memory: int | None = None


@dataclass(frozen=True)
class Probe:
    """How long a case took on some rows, and from that, how long it would on others."""

    case: Case
    engine: Engine
    rows: int
    seconds: float

    def expected(self, rows: int) -> float:
        ratio = rows / self.rows
        if self.engine.walks(self.case):
            ratio *= self.case.mean_frame(rows) / self.case.mean_frame(self.rows)
        return self.seconds * ratio

    def settles(self, effort: Effort, more: int) -> bool:
        """Whether the case is known to fit, or a probe of more rows would take too long itself."""
        return self.expected(self.case.rows) <= effort.longest or self.expected(more) > effort.longest


class DisagreementError(Exception):
    pass


def measure(
    cases: list[Case], engines: list[Engine], effort: Effort, tell: Callable[[str], None]
) -> tuple[list[Measurement], list[NotRun]]:
    contenders: list[Contender] = []
    not_run: list[NotRun] = []
    for case in cases:
        tell(f"{case.name}: probing")
        some, none = _contenders(case, engines, effort)
        contenders += some
        not_run += none
        _check(case, some, tell)
    contenders += _floors(contenders, engines)
    for contender in contenders:
        if contender.case.group == SHAPES:
            # Each has generated code of its own, which takes some runs to be compiled.
            for _ in range(_WARM_UPS):
                contender.engine.run(contender.case, contender.rows)
    for turn, contender in drawn(contenders, effort.repetitions):
        if sum(contender.seconds) < effort.patience:
            contender.seconds.append(timed(contender.engine, contender.case, contender.rows))
            tell(f"turn {turn + 1}: {_words(contender)}: {contender.seconds[-1]:.2f} s")
    for contender in contenders:
        if contender.case.group == SHAPES and isinstance(contender.engine, Spark):
            contender.memory = contender.engine.peak_memory(contender.case, contender.rows)
    return [Measurement.of(c.case, c.engine.name, c.rows, c.seconds, c.memory) for c in contenders], not_run


def warm_up(case: Case, engines: list[Engine], rows: int) -> None:
    """So that the first case does not pay for what every query needs: classes, and code compiled for scan and sort."""
    for _ in range(_WARM_UPS):
        for engine in engines:
            if engine.can(case) or engine.name == FLOOR:
                engine.run(case, rows)


def _contenders(case: Case, engines: list[Engine], effort: Effort) -> tuple[list[Contender], list[NotRun]]:
    probes = {e.name: _probe(case, e, effort) for e in engines if e.can(case)}
    fit = [p for p in probes.values() if p.expected(case.rows) <= effort.longest]
    contenders = [Contender(case, p.engine, case.rows) for p in fit]
    not_run = [NotRun.of(case, p.engine.name, p.expected(case.rows), p.rows) for p in probes.values() if p not in fit]
    pair = [probes[name] for name in (SLIDEWISE, SPARK) if name in probes]
    if not all(p in fit for p in pair):
        for rows in smaller(case.rows)[1:]:
            if case.fills(rows) and all(p.expected(rows) <= effort.longest for p in pair):
                contenders += [Contender(case, p.engine, rows) for p in pair]
                break
    return contenders, not_run


def _probe(case: Case, engine: Engine, effort: Effort) -> Probe:
    """Runs on more and more rows, until it takes long enough to tell; which also warms the engine up."""
    sizes = smaller(case.rows)[::-2]
    for rows, more in itertools.zip_longest(sizes, sizes[1:], fillvalue=case.rows):
        probe = Probe(case, engine, rows, timed(engine, case, rows))
        if probe.expected(case.rows) > effort.longest:
            # Let no first run's start-up decide that a case is too long.
            probe = Probe(case, engine, rows, min(probe.seconds, timed(engine, case, rows)))
        if probe.seconds >= _LONG_ENOUGH and probe.settles(effort, more):
            break
    return probe


def _check(case: Case, contenders: Iterable[Contender], tell: Callable[[str], None]) -> None:
    """Every engine has to answer as Slidewise does, on the very rows that it is measured on."""
    for rows, some in itertools.groupby(contenders, key=lambda c: c.rows):
        answers = {c.engine.name: c.engine.answer(case, rows) for c in some}
        reference = answers.get(SLIDEWISE) or next(iter(answers.values()))
        for engine, answer in answers.items():
            if not answer.agrees(reference, case.same):
                raise DisagreementError(f"{case.name}, {rows:,} rows: {engine} answers {answer}, not {reference}")
        tell(f"{case.name}: the same answers from {', '.join(answers)} on {rows:,} rows")


def _floors(contenders: list[Contender], engines: list[Engine]) -> list[Contender]:
    floor = next(e for e in engines if e.name == FLOOR)
    groups = (c for c in contenders if c.case.group not in (FUNCTIONS, MULTISETS, SHAPES))
    whole = {c.rows: c.case for c in groups if c.rows == c.case.rows}
    for rows, case in whole.items():
        timed(floor, case, rows)
    return [Contender(case, floor, rows) for rows, case in whole.items()]


def timed(engine: Engine, case: Case, rows: int) -> float:
    start = time.perf_counter()
    engine.run(case, rows)
    return time.perf_counter() - start


def _words(contender: Contender) -> str:
    what = (
        contender.engine.name if contender.engine.name == FLOOR else f"{contender.case.name}, {contender.engine.name}"
    )
    return f"{what}, {contender.rows:,} rows"
