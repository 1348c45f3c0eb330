#!/usr/bin/env python3
"""Runs Spark's own published test suites with Slidewise on, and prints one table a Spark version.

A test that fails and is not excluded in `suites.toml` is run again without Slidewise: what fails there too says nothing
about Slidewise. Exits with 1 if a test fails with Slidewise only, or if an excluded test passes on every version that
has it. The output of each suite is in `.build/spark-suites/<version>/`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
from catalogue import HERE, Catalogue
from outcome import Outcome, summary, table
from release import ROOT, Release

sys.path.insert(0, str(ROOT / "bench"))
from shared.markdown import between

DEFAULT = ("3.5.8", "4.0.2", "4.1.3", "4.2.0")
PAGE = ROOT / "docs/compatibility.md"
RECORDS = HERE / "records"


def outcome_of(release: Release, catalogue: Catalogue, group: str, suite: str) -> Outcome:
    files = catalogue.files_of(suite, release.tests)
    run = release.run(suite, files, slidewise=True)
    excluded = [test for test in run.failed if catalogue.exclusion(suite, test)]
    suspects = [test for test in run.failed if test not in excluded]
    alone = release.run(suite, suspects, slidewise=False).failed if suspects else []
    return Outcome(
        group=group,
        suite=suite,
        passed=len(run.passed),
        excluded=excluded,
        spark_fails=[test for test in suspects if test in alone],
        failed=[test for test in suspects if test not in alone] + ([] if run.ended else ["the suite was aborted"]),
        ignored=run.ignored,
        planned=run.planned,
        cut={file: count for file, count in release.cut.items() if file in files},
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "versions", nargs="*", default=DEFAULT, help=f"Spark releases; {' '.join(DEFAULT)} unless named"
    )
    parser.add_argument("--only", help="run the suites whose names contain this text")
    arguments = parser.parse_args()
    catalogue = Catalogue()
    failed = False
    for version in arguments.versions:
        release = Release(version, catalogue.cuts)
        for group, suites in catalogue.groups_in(release.tests).items():
            for suite in suites:
                if not arguments.only or arguments.only in suite:
                    outcome = outcome_of(release, catalogue, group, suite)
                    failed |= bool(outcome.failed)
                    print(f"{version} {outcome}", flush=True)
                    record(version, outcome, catalogue)
    needless = [] if arguments.only else needlessly_excluded(catalogue)
    for name in needless:
        print(f"excluded, but it passes: {name}")
    return 1 if failed or needless else 0


def record(version: str, outcome: Outcome, catalogue: Catalogue) -> None:
    """Puts the outcome in the place of the suite's last one."""
    suites = {held.suite: held for held in recorded().get(version, [])} | {outcome.suite: outcome}
    order = [suite for group in catalogue.groups.values() for suite in group]
    made = [suites[suite]._asdict() for suite in order if suite in suites]
    RECORDS.mkdir(exist_ok=True)
    (RECORDS / f"{version}.json").write_text(json.dumps(made, indent=1) + "\n")
    found = recorded()
    text = between("spark-suites", table(found), PAGE.read_text())
    PAGE.write_text(between("spark-suites-excluded", summary(found, catalogue), text))


def recorded() -> dict[str, list[Outcome]]:
    files = sorted(RECORDS.glob("*.json"))
    return {file.stem: [Outcome(**entry) for entry in json.loads(file.read_text())] for file in files}


def needlessly_excluded(catalogue: Catalogue) -> list[str]:
    """The excluded tests that fail on no version that was recorded."""
    outcomes = [outcome for suites in recorded().values() for outcome in suites]
    return [
        f"{entry.suite}: {entry.test}"
        for entry in catalogue.excluded
        if not any(entry.covers(outcome.suite, test) for outcome in outcomes for test in outcome.excluded)
    ]


if __name__ == "__main__":
    sys.exit(main())
