"""What came of other projects' tests, as tables."""

from __future__ import annotations

import re
from typing import NamedTuple

from planned_operators import ours_and_sparks


class Difference(NamedTuple):
    """Tests that cannot come to the same with Slidewise: those of a suite whose names match the pattern."""

    suite: str
    pattern: str
    reason: str

    def covers(self, suite: str, test: str) -> bool:
        return self.suite == suite and bool(re.search(self.pattern, test))


class Outcome(NamedTuple):
    """One suite on one release of Spark.

    release: of the suite
    run: how many tests Spark alone runs, or of SQL how many queries with windows it accepts
    same: how many of them come to the same with Slidewise
    answered: what Spark alone fails or refuses, and Slidewise does not
    different: the others
    planned: how often each operator was planned with Slidewise, by its name
    """

    suite: str
    release: str
    spark: str
    run: int
    same: int
    answered: int
    different: list[str]
    planned: dict[str, int]

    def unexplained(self, known: list[Difference]) -> list[str]:
        """The different tests without a reason."""
        return [test for test in self.different if not any(entry.covers(self.suite, test) for entry in known)]

    def __str__(self) -> str:
        lines = "".join(f"\n  {test}" for test in self.different)
        return (
            f"{self.suite} {self.release} on Spark {self.spark}: {self.run} run, {self.same} the same, "
            f"{self.answered} with Slidewise only, {len(self.different)} different; operators {self.planned}{lines}"
        )


def of_queries(suite: str, release: str, spark: str, results: dict[str, str], planned: dict[str, int]) -> Outcome:
    """Of what `sql_logic.py` reports."""
    count = list(results.values()).count
    different = [query for query, result in results.items() if result == "different"]
    run = len(results) - count("refused") - count("answered")
    return Outcome(suite, release, spark, run, count("same"), count("answered"), different, planned)


def of_tests(
    suite: str, release: str, spark: str, alone: dict[str, str], ours: dict[str, str], planned: dict[str, int]
) -> Outcome:
    """Of pytest's results without Slidewise and with it. A test that one of the runs lacks is different."""
    names = [name for name in {**alone, **ours} if (alone.get(name), ours.get(name)) != ("skipped", "skipped")]
    same = [name for name in names if alone.get(name) == ours.get(name)]
    answered = [name for name in names if (alone.get(name), ours.get(name)) == ("failed", "passed")]
    different = [name for name in names if name not in {*same, *answered}]
    return Outcome(suite, release, spark, len(names), len(same), len(answered), different, planned)


def table(found: list[Outcome], titles: dict[str, str]) -> str:
    """One row a suite and release of Spark."""
    heads = ("Tests", "Spark", "Run", "As with Spark alone", "With Slidewise only", "Different")
    lines = [f"| {' | '.join(heads)} | Operators of Slidewise, of Spark |", f"|---|---|{'---:|' * 5}"]
    for made in found:
        ours, sparks = ours_and_sparks(made.planned)
        counts = [made.run, made.same, made.answered, len(made.different)]
        cells = " | ".join(f"{count:,}" for count in counts)
        lines.append(f"| {titles[made.suite]}, {made.release} | {made.spark} | {cells} | {ours:,}, {sparks:,} |")
    return "\n".join(lines)


def differences(found: list[Outcome], titles: dict[str, str], known: list[Difference]) -> str:
    """One row a test that came to something else with Slidewise."""
    lines = ["| Tests | Test | Why it differs |", "|---|---|---|"]
    tests = dict.fromkeys((made.suite, test) for made in found for test in made.different)
    for suite, test in tests:
        reasons = [entry.reason for entry in known if entry.covers(suite, test)]
        lines.append(f"| {titles[suite]} | `{test}` | {reasons[0] if reasons else ''} |")
    return "\n".join(lines)
