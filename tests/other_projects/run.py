#!/usr/bin/env python3
"""Runs another project's tests with Slidewise and without, and records how they compare.

SOURCE is the folder that has the tests: `test` of a checkout of DuckDB, `test_files` of the crate
`datafusion-sqllogictest`, `python` of a checkout of Spark, or a checkout of ibis (with its test data in
`ci/ibis-testing-data`) or of narwhals. Of SQL logic tests, the queries with windows run, translated by sqlglot, and
their rows are compared. Exits with 1 if a test comes to something else with Slidewise and `suites.toml` has no reason
for it. Outputs are in `.build/other-projects`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import tomllib

sys.path.append(str(Path(__file__).resolve().parents[1]))
from comparison import Difference, Outcome, differences, of_queries, of_tests, table
from environment import HERE, ROOT, Environment

sys.path.append(str(ROOT / "bench"))
from shared.markdown import put

RECORDS = HERE / "records"
PAGE = ROOT / "docs/compatibility.md"


def main() -> int:
    catalogue = tomllib.loads((HERE / "suites.toml").read_text())
    suites = catalogue["suites"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=sorted(suites))
    parser.add_argument("source", type=Path)
    parser.add_argument("--release", required=True, help="of the tests, for the table")
    parser.add_argument("--spark", help="a release of PySpark; the suite's default unless named")
    parser.add_argument("--only", default="", help="of SQL logic tests: files whose path contains this; not recorded")
    arguments = parser.parse_args()
    suite = suites[arguments.suite]
    spark = arguments.spark or suite["spark"]
    environment = Environment(arguments.suite, spark, suite["packages"])
    names, source = (arguments.suite, arguments.release, spark), arguments.source.resolve()
    if "dialect" in suite:
        asked = environment.sql_logic(suite["dialect"], suite["suffix"], source, arguments.only)
        outcome = of_queries(*names, asked.results, asked.planned)
    else:
        if "installed" in suite:
            environment.add_tests(source / suite["installed"])
        ours, alone = (environment.pytest(source, suite["arguments"], slidewise=on) for on in (True, False))
        outcome = of_tests(*names, alone.results, ours.results, ours.planned)
    print(outcome)
    known = [Difference(**entry) for entry in catalogue["different"]]
    if not arguments.only:
        record(outcome, {name: entry["title"] for name, entry in suites.items()}, known)
    unexplained = outcome.unexplained(known)
    for test in unexplained:
        print(f"without a reason: {test}")
    return 1 if unexplained else 0


def record(outcome: Outcome, titles: dict[str, str], known: list[Difference]) -> None:
    """Puts the outcome in the place of the last one of its suite and Spark."""
    RECORDS.mkdir(exist_ok=True)
    (RECORDS / f"{outcome.suite}-{outcome.spark}.json").write_text(json.dumps(outcome._asdict(), indent=1) + "\n")
    found = [Outcome(**json.loads(path.read_text())) for path in sorted(RECORDS.glob("*.json"))]
    put("other-projects", table(found, titles), PAGE)
    put("other-projects-different", differences(found, titles, known), PAGE)


if __name__ == "__main__":
    sys.exit(main())
