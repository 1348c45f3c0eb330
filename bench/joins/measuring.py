"""Compares the answers of a case's contenders, then runs them in turns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cases import Case, Contender
from data import Tables
from engines import Engine
from shared.tasks import Stage
from shared.turns import drawn, seconds, warmed

Tell = Callable[[str], None]
_NEAR = 1e-9


@dataclass(frozen=True)
class Effort:
    scale: float
    checked: float
    """The scale of the tables on which the answers are compared."""
    turns: int
    longest: float
    """Seconds after which a query is stopped."""


@dataclass(frozen=True)
class Run:
    seconds: float
    cpu: float
    """Of the engine's process, in seconds."""
    largest: float | None
    """The share of the largest task in the CPU time of all tasks, if the contender asks for tasks."""


class DisagreementError(Exception):
    pass


def compare(case: Case, engines: Mapping[str, Engine], effort: Effort, cache: Path) -> None:
    """Compares the answers, and warms the engines up."""
    reference: list[float] = []
    tables = case.tables(effort.checked, cache)
    for one in _present(case, engines):
        answer = engines[one.engine].answer(one, tables)
        reference = reference or answer
        if (
            case.same
            and answer
            and not all(math.isclose(a or 0, b or 0, rel_tol=_NEAR) for a, b in zip(answer, reference, strict=True))
        ):
            raise DisagreementError(f"{case.name}: {one.name} answers {answer}, but the first contender {reference}")


def measure(
    case: Case, engines: Mapping[str, Engine], effort: Effort, cache: Path, tell: Tell
) -> dict[str, list[Run] | None]:
    """The runs by contender; None for one that was stopped, which does not run again."""
    tables = case.tables(effort.scale, cache)
    found: dict[str, list[Run] | None] = {}
    for one in _present(case, engines):
        engine = engines[one.engine]
        engine.prepare(one, tables)
        found[one.name] = [] if warmed(engine, one.sql, effort.longest) else None
    for _, one in drawn(_present(case, engines), effort.turns):
        so_far = found[one.name]
        if so_far is None:
            continue
        run = _run(one, engines[one.engine], tables, effort.longest)
        found[one.name] = None if run is None else [*so_far, run]
        took = "stopped" if run is None else f"{run.seconds:.2f} s, {run.cpu:.2f} s of CPU"
        tell(f"{case.name}: {one.name}: {took}")
    return found


def _run(one: Contender, engine: Engine, tables: Tables, longest: float) -> Run | None:
    engine.prepare(one, tables)
    before = engine.cpu()
    took = seconds(engine, one.sql, longest)
    if took is None:
        return None
    cpu = engine.cpu() - before
    return Run(round(took, 4), round(cpu, 4), _largest(engine.stages()) if one.tasks else None)


def _largest(stages: list[Stage]) -> float:
    """Of the stages of the run, the largest share of a task of all CPU time."""
    return round(max(stage.largest for stage in stages) / sum(stage.cpu for stage in stages), 4)


def _present(case: Case, engines: Mapping[str, Engine]) -> list[Contender]:
    return [one for one in case.contenders if one.engine in engines]
