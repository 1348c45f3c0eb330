"""What came of Spark's suites, as tables."""

from __future__ import annotations

from typing import NamedTuple

from catalogue import Catalogue
from planned_operators import ours_and_sparks


class Outcome(NamedTuple):
    """One suite on one Spark version.

    passed: the number of tests that passed
    excluded: failed, and listed as unable to pass
    spark_fails: failed with and without Slidewise
    failed: failed with Slidewise only
    ignored: the number of tests that the suite itself left out
    planned: how often each operator was planned, by its name
    cut: how many queries were cut out of each SQL file
    """

    group: str
    suite: str
    passed: int
    excluded: list[str]
    spark_fails: list[str]
    failed: list[str]
    ignored: int
    planned: dict[str, int]
    cut: dict[str, int]

    def __str__(self) -> str:
        counts = f"{self.passed} passed, {len(self.excluded)} excluded, {len(self.spark_fails)} fail on Spark alone"
        failed = "".join(f"\n  FAILED: {name}" for name in self.failed)
        alone = "".join(f"\n  fails on Spark alone: {name}" for name in self.spark_fails)
        return f"{self.suite}: {counts}, {self.ignored} ignored; operators {self.planned}{alone}{failed}"


def table(found: dict[str, list[Outcome]]) -> str:
    """One row a group of suites and Spark version."""
    lines = [
        "| Suites | Spark | Passed | Excluded | Fail on Spark alone | Fail with Slidewise only"
        " | Operators of Slidewise, of Spark |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    groups = list(dict.fromkeys(outcome.group for outcomes in found.values() for outcome in outcomes))
    for group in groups:
        for version, outcomes in found.items():
            of = [outcome for outcome in outcomes if outcome.group == group]
            if not of:
                continue
            counts = [
                sum(outcome.passed for outcome in of),
                sum(len(outcome.excluded) for outcome in of),
                sum(len(outcome.spark_fails) for outcome in of),
                sum(len(outcome.failed) for outcome in of),
            ]
            ours, sparks = map(sum, zip(*(ours_and_sparks(outcome.planned) for outcome in of), strict=True))
            planned = f"{ours:,}, {sparks:,}"
            lines.append(f"| {group} | {version} | {' | '.join(f'{count:,}' for count in counts)} | {planned} |")
    return "\n".join(lines)


def summary(found: dict[str, list[Outcome]], catalogue: Catalogue) -> str:
    """One row a test that was excluded on any version, and one a SQL file that queries were cut out of."""
    failed = {(outcome.suite, test) for outcomes in found.values() for outcome in outcomes for test in outcome.excluded}
    reasons: dict[tuple[str, str], list[str]] = {}
    for suite, test in sorted(failed):
        entry = next(entry for entry in catalogue.excluded if entry.covers(suite, test))
        reasons.setdefault((suite, entry.reason), []).append(test)
    lines = ["| Suite | Test | Why it cannot pass |", "|---|---|---|"]
    for (suite, reason), tests in reasons.items():
        lines += [f"| `{suite.rsplit('.', 1)[-1]}` | {test} | {reason} |" for test in tests]
    for suite, file, count in sorted(
        {(o.suite, *cut) for outcomes in found.values() for o in outcomes for cut in o.cut.items()}
    ):
        reason = next(queries.reason for queries in catalogue.cuts if queries.file == file)
        lines.append(f"| `{suite}` | {count} {'query' if count == 1 else 'queries'} of `{file}` | {reason} |")
    return "\n".join(lines)
