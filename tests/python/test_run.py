"""`slidewise run` over files, in the session that the tests share."""

from __future__ import annotations

from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from slidewise.cli import _compare, _inputs, _table
from slidewise.cli._run import Job, perform
from slidewise.cli._session import plain_errors

SUMS = "SELECT t, sum(x) OVER (ORDER BY t ROWS 1 PRECEDING) AS s FROM trades ORDER BY t"


@pytest.fixture
def run(spark: SparkSession, tmp_path: Path, capsys):
    """Runs a job over files with the given texts; returns the printed lines, split into words."""

    def of(query: str, files: dict[str, str] | None = None, **options) -> list[list[str]]:
        pq.write_table(pa.table({"t": [1, 2, 3], "x": [1, 10, 100], "k": ["a", "b", "c"]}), tmp_path / "trades.parquet")
        tables = {"trades": tmp_path / "trades.parquet"}
        for name, text in (files or {}).items():
            (tmp_path / name).write_text(text)
            tables[Path(name).stem] = tmp_path / name
        capsys.readouterr()
        with plain_errors():
            perform(spark, Job(tables=tables, query=query, **options), tmp_path / "scratch")
        return [line.split() for line in capsys.readouterr().out.splitlines()]

    return of


def test_csv_and_json(run):
    files = {"calls.csv": "k,t\na,1\na,2\n", "names.jsonl": '{"k": "a", "name": "Alpha"}\n'}
    lines = run("SELECT name, sum(t) OVER (ORDER BY t) AS s FROM calls JOIN names USING (k) ORDER BY t", files)
    assert lines == [["name", "s"], ["─" * 5, "─"], ["Alpha", "1"], ["Alpha", "3"]]


def test_csv_options(run):
    options = {"csv": {"sep": ";", "header": "false", "nullValue": "NA", "INFERSCHEMA": "false"}}
    lines = run("SELECT _c0, _c1 IS NULL AS none FROM calls", {"calls.csv": "007;NA\n"}, read_options=options)
    assert lines[2:] == [["007", "True"]]


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_an_unknown_option_of_a_reader_is_refused(run, kind):
    with pytest.raises(click.UsageError) as caught:
        run(SUMS, read_options={kind: {"seperator": ";"}})
    assert caught.value.message == f"--{kind}-option: Spark's {kind.upper()} reader has no option 'seperator'"


def test_an_empty_file_is_named(run, tmp_path: Path):
    with pytest.raises(click.UsageError) as caught:
        run("SELECT 1", {"calls.csv": ""})
    assert caught.value.message == f"--table calls: {str(tmp_path / 'calls.csv')!r} is empty and has no columns"


@pytest.mark.parametrize("text", ['{"k": 1}\n{"k": \n', "nonsense\n"])
def test_a_bad_line_of_json_is_shown(run, text):
    with pytest.raises(click.UsageError, match=r"has a line that is not a JSON object: '({\"k\":|nonsense)'") as caught:
        run("SELECT * FROM calls", {"calls.json": text})
    assert "--json-option mode=DROPMALFORMED" in caught.value.message


def test_bad_lines_of_json_are_skipped_on_demand_and_documents_may_span_lines(run, spark: SparkSession):
    skipping = {"json": {"mode": "DROPMALFORMED"}}
    assert run("SELECT k FROM calls", {"calls.json": '{"k": 1}\n{"k": \n'}, read_options=skipping)[2:] == [["1"]]
    spanning = {"json": {"multiLine": "true"}}
    assert run("SELECT k FROM calls", {"calls.json": '[{"k":\n1},\n{"k": 2}]'}, read_options=spanning)[2:] == [
        ["1"],
        ["2"],
    ]


def test_rows_are_printed_beside_the_written_result(run, tmp_path: Path):
    lines = run(SUMS, out=str(tmp_path / "sums.json"), rows=2, plot=("t", "s", None), plot_to=tmp_path / "sums.png")
    assert lines[1:-1] == [["t", "s"], ["─", "──"], ["1", "1"], ["2", "11"], ["…", "more", "rows"]]
    assert [words[0] for words in (lines[0], lines[-1])] == ["wrote", "drew"]
    assert (tmp_path / "sums.png").is_file()


def test_an_error_of_spark_is_its_message_without_a_stack(run):
    for query, condition in [
        ("SELECT nothing FROM trades", "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"),
        ("SELECT 1 / (x - x) FROM trades", "[DIVIDE_BY_ZERO]"),
    ]:
        with pytest.raises(click.ClickException) as caught:
            run(query)
        assert caught.value.message.startswith(condition)
        assert "\tat " not in caught.value.message
        assert "Project" not in caught.value.message


@pytest.mark.parametrize(
    ("plot", "message"),
    [
        (("t", "gone", None), "--plot: VALUE is 'gone', but the result has the columns t, k"),
        (("t", "k", None), "--plot: VALUE is 'k' of type string, but must be a number"),
        (("k", "t", None), "--plot: TIME is 'k' of type string, but must be a date, a timestamp or a number"),
    ],
)
def test_a_plot_of_a_wrong_column_is_refused_before_the_query_runs(run, tmp_path: Path, plot, message):
    with pytest.raises(click.UsageError) as caught:
        run("SELECT t, k FROM trades", plot=plot, out=str(tmp_path / "out.csv"))
    assert caught.value.message == message
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE made_twice AS SELECT 1",
        "WITH a AS (SELECT 1 AS i) INSERT INTO gone TABLE a",
        "SET x.y = 1",
    ],
)
def test_compare_refuses_statements_before_they_run(run, spark: SparkSession, statement):
    with pytest.raises(click.UsageError, match=r"^--compare runs the query several times, and --query is a statement"):
        run(statement, compare=True)
    assert not spark.catalog.tableExists("made_twice")
    assert spark.conf.get("x.y", None) is None


def test_compare_says_that_a_query_is_not_deterministic(run):
    lines = [" ".join(words) for words in run("SELECT rand() AS r FROM trades", compare=True)]
    assert lines[0].endswith("; 3 rows differ")
    assert lines[1].startswith("The query is not deterministic (rand): two runs on Spark alone may differ, too")


def test_compare_fails_where_a_deterministic_query_differs(run, monkeypatch):
    monkeypatch.setattr(_compare, "differing_rows", lambda spark, comparison: 3)
    with pytest.raises(click.ClickException, match="the answers with Slidewise on and off are not the same"):
        run(SUMS, compare=True)


def test_a_slower_query_is_called_slower():
    slower = _compare.Comparison("on", "off", on=[1.0], off=[0.6])
    assert str(slower) == "on 1.00 s, off 0.60 s: 1.7 times slower with Slidewise"


def test_timestamps_are_printed_in_the_time_zone_of_the_session(spark: SparkSession):
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        df = spark.sql("SELECT timestamp_seconds(0) AS t, timestamp_seconds(60) AS t")
        assert _table.render(df).splitlines()[-1] == "1970-01-01 09:00:00  1970-01-01 09:01:00"
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_the_format_of_a_folder_is_that_of_its_files(tmp_path: Path):
    (tmp_path / "part-0.csv").touch()
    assert _inputs.format_of(str(tmp_path)) == "csv"
    assert _inputs.format_of("a.json.gz") == "json"
