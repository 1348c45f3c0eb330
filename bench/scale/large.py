"""A frame of a million rows over more rows than memory holds: 1 GiB of heap for each task."""

from __future__ import annotations

from typing import Any

from measuring import Contender
from record import group
from shared.tasks import Stage

HEAP_A_TASK = 1
"""In GiB."""
_PARTS = 4


def measured(one: Contender) -> dict[str, Any]:
    """The run's figures, with those that only this measurement has."""
    stages = one.runs[-1].stages
    return group(
        [one],
        heap_gib=HEAP_A_TASK,
        spilled=sum(task.spilled for stage in stages for task in stage.tasks),
        rates=[rates(stage, one.rows) for stage in stages if len(stage.tasks) >= _PARTS],
    )


def rates(stage: Stage, rows: int) -> list[float]:
    """Rows a second in each quarter of a stage's tasks, in the order in which they finished."""
    finished = sorted(task.finished for task in stage.tasks)
    began = min(task.launched for task in stage.tasks)
    found = []
    for part in range(_PARTS):
        some = finished[part * len(finished) // _PARTS : (part + 1) * len(finished) // _PARTS]
        found.append(round(rows * len(some) / len(finished) / max(some[-1] - began, 1e-3)))
        began = some[-1]
    return found
