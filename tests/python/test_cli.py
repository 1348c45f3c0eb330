"""The command line, as a user types it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slidewise

PNG = b"\x89PNG\r\n\x1a\n"
SQL = "SELECT k, t, sum(x) OVER (PARTITION BY k ORDER BY t ROWS 1 PRECEDING) AS s FROM trades ORDER BY k, t"


@pytest.fixture
def trades(tmp_path: Path) -> Path:
    table = pa.table({"k": ["a", "a", "a", "b", "b"], "t": [1, 2, 3, 1, 2], "x": [1, 10, 100, 5, 50]})
    pq.write_table(table, tmp_path / "trades.parquet")
    return tmp_path


def slide(*arguments: str) -> tuple[str, ...]:
    return ("-m", "slidewise", *arguments)


def test_jar(output):
    assert output(*slide("jar")) == slidewise.jar_path() + "\n"
    assert output(*slide("jar", "--spark-version", "4.2.0")) == slidewise.jar_path("4.2") + "\n"


def test_jar_of_an_unsupported_version(program):
    done = program(*slide("jar", "--spark-version", "3.5.0"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Error: Spark 3.5.0 is not supported: Slidewise runs on Spark 4.2 and 4.3\n"


def test_version(output):
    assert output(*slide("version")) == f"slidewise {slidewise.__version__} (Spark 4.2, 4.3)\n"


def test_run_prints_explains_writes_and_draws(output, trades: Path):
    (trades / "my.sql").write_text(SQL + ";\n")
    text = output(
        *slide("run", "--table", "trades=trades.parquet", "--query", "my.sql", "--explain"),
        *("--compare", "--out", "result.parquet", "--plot", "t,s,k", "--plot-to", "sums.png"),
    )
    assert "the same answer" in text
    assert "true" in text.lower().split("times as fast")[0]
    assert pq.read_table(trades / "result.parquet")["s"].to_pylist() == [1, 11, 110, 5, 55]
    assert (trades / "sums.png").read_bytes().startswith(PNG)


def test_run_reads_csv_and_json_and_the_query_from_standard_input(output, tmp_path: Path):
    (tmp_path / "trades.csv").write_text("k,t,x\na,1,1\na,2,10\na,3,100\n")
    (tmp_path / "names.jsonl").write_text('{"k": "a", "name": "Alpha"}\n')
    text = output(
        *slide("run", "--table", "trades=trades.csv", "--table", "names=names.jsonl", "--query", "-"),
        stdin="SELECT name, sum(x) OVER (ORDER BY t ROWS 1 PRECEDING) AS s FROM trades JOIN names USING (k) ORDER BY t",
    )
    rows = [line.split() for line in text.splitlines()]
    assert rows == [["name", "s"], ["─" * 5, "─" * 3], ["Alpha", "1"], ["Alpha", "11"], ["Alpha", "110"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--table", "t=gone.parquet", "--query", "SELECT 1"], "--table t: there is no file or folder 'gone.parquet'"),
        (["--table", "gone.parquet", "--query", "SELECT 1"], "--table is 'gone.parquet', but must be NAME=PATH"),
        (["--table", "trades=trades.parquet", "--query", "gone.sql"], "--query: there is no file 'gone.sql'"),
        (["--table", "trades=trades.parquet", "--query", " ; "], "--query ' ; ' holds no SQL"),
        (
            ["--table", "trades=trades.parquet", "--query", SQL, "--plot", "t"],
            "--plot is 't', but must name columns as TIME,VALUE or TIME,VALUE,GROUP",
        ),
        (
            ["--table", "trades=trades.parquet", "--query", SQL, "--out", "trades.parquet"],
            "--out: 'trades.parquet' exists already; --overwrite replaces it",
        ),
        (["--table", "trades=trades.parquet", "--query", SQL, "--out", "result.doc"], "'result.doc' must end in"),
    ],
)
def test_a_wrong_argument_is_named_before_spark_starts(program, trades: Path, arguments, message):
    done = program(*slide("run", *arguments))
    assert done.returncode == 2
    assert f"Error: {message}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT nothing FROM trades", "Error: [UNRESOLVED_COLUMN.WITH_SUGGESTION]"),
        ("SELECT 1 / (x - x) FROM trades", "Error: [DIVIDE_BY_ZERO]"),
    ],
)
def test_an_error_of_spark_is_its_message_and_no_stack(program, trades: Path, sql, message):
    done = program(*slide("run", "--table", "trades=trades.parquet", "--query", sql))
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "\tat " not in done.stderr
    assert "Project" not in done.stderr


def test_plot_names_the_columns_that_there_are(program, trades: Path):
    done = program(*slide("run", "--table", "trades=trades.parquet", "--query", SQL, "--plot", "t,gone"))
    assert done.returncode == 2
    assert "Error: --plot: VALUE is 'gone', but the result has the columns k, t, s" in done.stderr


def test_the_demo_over_a_stream_answers_as_over_the_table(output):
    text = output(*slide("demo", "--stream", "--days", "3"))
    assert "batch 1: " in text
    assert text.splitlines()[-1].startswith("2,699 flights came out, each once, in ")
    assert text.splitlines()[-1].endswith(": the query's answer over the table")
