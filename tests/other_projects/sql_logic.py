"""Asks the queries with windows of SQL logic tests with Slidewise and without. The program of `run.py` for such suites.

Usage: sql_logic.py DIALECT SUFFIX SOURCE ONLY REPORT, where DIALECT is sqlglot's name of the SQL, and REPORT gets what
came of the files in SOURCE that end in SUFFIX and whose path contains ONLY.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
from answers import Answer, Asker
from pyspark.sql import SparkSession
from records import Record, records, stand_in
from session import local_session

SETTINGS = {"spark.sql.legacy.createHiveTableByDefault": "false"}


class Answers:
    """What came of the queries so far.

    results: what each came to, by its file and line: one of `refused` (by Spark, with Slidewise and without), `same`,
        `answered` (with Slidewise only) and `different`
    planned: how many queries had each operator of Slidewise
    refusals: how many queries Spark refused for each condition
    """

    def __init__(self) -> None:
        self.results: dict[str, str] = {}
        self.planned: Counter[str] = Counter()
        self.refusals: Counter[str | None] = Counter()

    def add(self, place: str, sql: str, alone: Answer, ours: Answer) -> None:
        self.planned.update(ours.planned)
        result = _compared(alone, ours)
        # A query in a loop has one place.
        if self.results.get(place) != "different":
            self.results[place] = result
        if result == "refused":
            self.refusals[alone.error] += 1
        if result == "different":
            print(f"{place}: {alone.error or 'rows'} alone, {ours.error or 'rows'} with Slidewise\n{sql}", flush=True)
        if result == "different" and alone.rows is not None and ours.rows is not None:
            print(f"  alone {list((alone.rows - ours.rows).items())[:5]}")
            print(f"  ours  {list((ours.rows - alone.rows).items())[:5]}", flush=True)


def _compared(alone: Answer, ours: Answer) -> str:
    if (alone.rows, alone.error) == (ours.rows, ours.error):
        return "refused" if alone.error else "same"
    return "answered" if alone.error and not ours.error else "different"


def ask(session: SparkSession, statements: list[Record], place: str, answers: Answers) -> None:
    """Runs the statements of the file `place` in a database of their own."""
    asker = Asker(session)
    session.sql("CREATE DATABASE asked")
    session.sql("USE asked")
    try:
        for record in statements:
            if record.has_window:
                alone, ours = (asker.ask(record.sql, slidewise=on) for on in (False, True))
                answers.add(f"{place}:{record.line}", record.sql, alone, ours)
            elif not record.is_query:
                error = asker.ask(stand_in(record.sql) or record.sql, slidewise=False).error
                if error:
                    print(f"{place}:{record.line}: {error}", flush=True)
    finally:
        session.sql("USE default")
        session.sql("DROP DATABASE asked CASCADE")


def main(dialect: str, suffix: str, source: Path, only: str, report: Path) -> None:
    # PySpark logs each error of an analyzed query.
    logging.disable()
    answers = Answers()
    with tempfile.TemporaryDirectory() as folder:
        session = local_session(Path(folder), SETTINGS)
        for path in sorted(source.rglob(f"*{suffix}")):
            place, text = str(path.relative_to(source)), path.read_text(errors="replace")
            if only not in place or "over" not in text.lower():
                continue
            statements = list(records(text, dialect))
            if any(statement.has_window for statement in statements):
                ask(session, statements, place, answers)
                print(f"{place}: {len(answers.results)} so far", flush=True)
        session.stop()
    print(answers.refusals)
    report.write_text(json.dumps({"results": answers.results, "planned": answers.planned}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4], Path(sys.argv[5]))
