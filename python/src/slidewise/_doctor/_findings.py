"""What a check of a session finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "warning", "problem"]

_LEVELS: tuple[Level, ...] = ("ok", "note", "warning", "problem")


@dataclass(frozen=True)
class Finding:
    """One result of a check."""

    level: Level
    """`note` is a fact to know. `warning`: Slidewise works in part. `problem`: it does not work, or answers differ."""

    topic: str
    what: str
    remedy: str = ""
    """What to do; empty if there is nothing to do."""

    def __str__(self) -> str:
        line = f"{self.level:8} {self.topic:11} {self.what}"
        return f"{line}\n{'':20} → {self.remedy}" if self.remedy else line


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """The findings of `slidewise.doctor`, in the order of the checks. Prints one or two lines for each."""

    findings: tuple[Finding, ...]

    @property
    def level(self) -> Level:
        """The most severe level among the findings."""
        return max((finding.level for finding in self.findings), key=_LEVELS.index, default="ok")

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings))

    def __repr__(self) -> str:
        return str(self)
