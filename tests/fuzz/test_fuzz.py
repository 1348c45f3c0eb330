"""A query that fails becomes small, and a test that fails."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
import session
from generated import in_spark
from generated.answer import Answer, Rows
from generated.query import Case
from pyspark.sql import SparkSession
from streams.query import Expression, Query, random_query

from fuzz import rounds, run, streams, test_file
from fuzz.rounds import fuzz
from fuzz.shrink import Part, Shrinker
from fuzz.test_file import Example, StreamExample, TableExample


@dataclass(frozen=True)
class Numbers:
    numbers: list[int]


NUMBERS = Part(lambda query: query.numbers, lambda query, kept: replace(query, numbers=list(kept)))


def test_only_what_fails_is_kept() -> None:
    def failure(query: Numbers) -> str | None:
        return "both" if {3, 77} <= set(query.numbers) else None

    assert Shrinker(failure).smallest(Numbers(list(range(100))), [NUMBERS]) == Numbers([3, 77])


def test_another_failure_is_not_taken_for_it() -> None:
    def failure(query: Numbers) -> str | None:
        return "many" if len(query.numbers) > 5 else "few"

    assert len(Shrinker(failure).smallest(Numbers(list(range(100))), [NUMBERS]).numbers) == 6


def test_a_limit_ends_it() -> None:
    asked = []

    def failure(query: Numbers) -> str | None:
        asked.append(query)
        return "always" if sum(query.numbers) % 2 == 1 else None

    Shrinker(failure, limit=20).smallest(Numbers(list(range(1, 98))), [NUMBERS])
    assert len(asked) <= 21


def test_a_query_that_does_not_fail_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fail"):
        Shrinker(lambda query: None).smallest(Numbers([1]), [NUMBERS])


@pytest.mark.parametrize(
    ("round", "code", "said"),
    [
        ("print('asked 3 queries, found 0')", 0, "asked 3 queries, found 0"),
        (f"print('asked 3 queries, found 1'); raise SystemExit({run.FOUND})", run.FOUND, "asked 3 queries, found 1"),
        ("raise KeyError('kind')", 1, "crashed (1)"),
        ("import os; os.abort()", 1, "crashed (-6)"),
    ],
)
def test_a_crash_is_not_a_find(
    round: str,
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "round.py").write_text(round)
    monkeypatch.setattr(run, "__file__", str(tmp_path / "round.py"))
    monkeypatch.setattr(run, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(sys, "argv", ["run.py", "--hours", "0", "--seed", "7"])
    assert run.main() == code
    assert f"seed 7: {said}" in capsys.readouterr().out


@pytest.mark.parametrize(("found", "code"), [([], 0), ([Path("test_found.py")], run.FOUND)])
def test_a_round_tells_of_finds(found: list[Path], code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = []

    class Session:
        def stop(self) -> None:
            stopped.append(self)

    monkeypatch.setattr(session, "local_session", lambda folder: Session())
    monkeypatch.setattr(rounds, "fuzz", lambda *arguments: found)
    monkeypatch.setattr(sys, "argv", ["run.py", "--round", "1", "--seed", "7"])
    assert run.main() == code
    assert len(stopped) == 1


def test_a_stream_keeps_its_last_batch() -> None:
    query = random_query(8, 0)
    assert query.restart > 0

    def failure(query: Query) -> str | None:
        return "lost" if any(row["id"] == 5 for batch in query.batches[:-1] for row in batch) else None

    (kind,) = (kind for kind in streams.KINDS if kind.name == "streams")
    small = Shrinker(failure).smallest(query, kind.parts)
    assert [[row["id"] for row in batch] for batch in small.batches[:-1]] == [[5]]
    assert small.batches[-1] == query.batches[-1]
    assert small.restart < 2
    assert (small.expressions, small.settings) == ([], {})


@pytest.mark.long
def test_no_failure_writes_nothing(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_file, "FOLDER", tmp_path / "found")
    assert fuzz(spark, ["windows", "hopping", "streams", "hopping-streams"], 1, 8, tmp_path) == []
    assert not (tmp_path / "found").exists()


@pytest.mark.long
def test_a_wrong_answer_is_found_and_written(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = in_spark.answer

    def wrong(spark: SparkSession, cases: list[Case], slidewise: bool) -> Answer:
        """Of `count`, one too many in the partition 7."""
        answer = right(spark, cases, slidewise)
        counts = [i for i, case in enumerate(cases) if case.spark.startswith("count(") and "DISTINCT" not in case.spark]
        if slidewise and isinstance(answer, Rows) and counts and len(answer.values) > 3:
            row, values = max(answer.values.items())
            changed = tuple(value + 1 if i == counts[0] else value for i, value in enumerate(values))
            return Rows(answer.values | {row: changed}, answer.plan)
        return answer

    monkeypatch.setattr(in_spark, "answer", wrong)
    written: list[tuple[str, TableExample]] = []

    def write(name: str, what: str, example: TableExample) -> Path:
        written.append((what, example))
        return test_file_write(name, what, example, tmp_path)

    test_file_write = test_file.write
    monkeypatch.setattr(test_file, "write", write)
    assert fuzz(spark, ["windows"], 4, 3, tmp_path)
    what, example = written[0]
    assert "Slidewise <> Spark" in what
    assert len(example.rows) == 4
    assert example.settings == {}
    assert example.sql.count("OVER") == 1


def _of_a_table(wrong: bool) -> TableExample:
    over = "SELECT id, sum(x) OVER (ORDER BY id ROWS 1 PRECEDING) AS s FROM t"
    rows = [(1, 1.5), (2, 0.5)]
    expected = [(1, 1.5), (2, 4.0 if wrong else 2.0)]
    return TableExample("t", "id int, x double", rows, "parquet", {}, over, "SlidingWindow", expected)


def _of_a_stream(wrong: bool) -> StreamExample:
    calls = [Expression("sum(n) OVER (ORDER BY ts)", for_spark="4.0 * sum(n) OVER (ORDER BY ts)" if wrong else "")]
    query = replace(random_query(8, 0), partition="", expressions=calls, ahead=0)
    (kind,) = (kind for kind in streams.KINDS if kind.name == "streams")
    example = kind.example(cast(SparkSession, None), query, Path())
    assert isinstance(example, StreamExample)
    return example


@pytest.mark.long
@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize(("of", "said"), [(_of_a_table, "4.0"), (_of_a_stream, "instead of")])
def test_a_written_test_passes_and_fails(of: Callable[[bool], Example], said: str, tmp_path: Path, wrong: bool) -> None:
    file = test_file.write("example", "the first line\nthe second", of(wrong), tmp_path)
    tests = Path(__file__).resolve().parents[1]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", str(tests / "pytest.ini")]
    done = subprocess.run(
        [*command, f"--rootdir={tests}", f"--confcutdir={tests}", "-p", "conftest", str(file)],
        check=False,
        capture_output=True,
        text=True,
        cwd=tests,
    )
    assert done.returncode == (1 if wrong else 0), done.stdout[-3000:]
    assert not wrong or said in done.stdout
