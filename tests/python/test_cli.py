"""The command line, as a user types it: arguments in this process, the rest in a process with its own session."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import slidewise
from slidewise.cli import _run
from slidewise.cli._commands import commands

PNG = b"\x89PNG\r\n\x1a\n"
SQL = "SELECT k, t, sum(x) OVER (PARTITION BY k ORDER BY t ROWS 1 PRECEDING) AS s FROM trades ORDER BY k, t"
TRADES = ["--table", "trades=trades.parquet"]


@pytest.fixture
def trades(tmp_path: Path, monkeypatch) -> Path:
    table = pa.table({"k": ["a", "a", "a", "b", "b"], "t": [1, 2, 3, 1, 2], "x": [1, 10, 100, 5, 50]})
    pq.write_table(table, tmp_path / "trades.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def slide(*arguments: str) -> tuple[str, ...]:
    return ("-m", "slidewise", *arguments)


def test_jar():
    assert CliRunner().invoke(commands, ["jar"]).output == slidewise.jar_path() + "\n"
    minor = slidewise.supported_versions()[0]
    done = CliRunner().invoke(commands, ["jar", "--spark-version", f"{minor}.0"])
    assert done.output == slidewise.jar_path(minor) + "\n"


def test_jar_of_an_unsupported_version(program):
    done = program(*slide("jar", "--spark-version", "3.4.0"))
    assert (done.returncode, done.stdout) == (1, "")
    supported = ", ".join(slidewise.supported_versions())
    assert done.stderr == f"Error: Spark 3.4.0 is not supported: Slidewise runs on Spark {supported}\n"


def test_jar_of_a_scala_version():
    minor = slidewise.supported_versions()[-1]
    done = CliRunner().invoke(commands, ["jar", "--spark-version", f"{minor}.0", "--scala-version", "2.11.12"])
    assert done.exit_code == 1
    assert f"Spark {minor}.0 with Scala 2.11 is not supported: on Spark {minor}, Slidewise runs with" in done.output


def test_version():
    printed = CliRunner().invoke(commands, ["version"]).output
    assert printed.startswith(f"slidewise {slidewise.__version__} (Spark ")
    for minor in slidewise.supported_versions():
        assert f"Spark {minor} with Scala {', '.join(slidewise.supported_scala_versions(minor))}" in printed


def test_run_prints_explains_writes_and_draws(output, trades: Path):
    (trades / "my.sql").write_text(SQL + ";\n")
    text = output(
        *slide("run", *TRADES, "--query", "my.sql", "--explain", "--compare"),
        *("--out", "result.parquet", "--plot", "t,s,k", "--plot-to", "sums.png"),
        *("--time-zone", "Asia/Tokyo", "--driver-memory", "700m", "--conf", "spark.sql.shuffle.partitions=1"),
    )
    before, after = text.split(" with Slidewise; the same answer")
    assert "true" in before.lower()
    assert [line.split() for line in after.splitlines() if line.startswith("b ")] == [["b", "1", "5"], ["b", "2", "55"]]
    assert pq.read_table(trades / "result.parquet")["s"].to_pylist() == [1, 11, 110, 5, 55]
    assert (trades / "sums.png").read_bytes().startswith(PNG)


def test_run_prints_the_first_rows_of_a_query_that_it_writes(output, trades: Path):
    text = output(
        *slide("run", *TRADES, "--query", "SELECT id FROM range(300000) ORDER BY id DESC", "--rows", "3"),
        *("--out", "result.csv", "--conf", "spark.sql.shuffle.partitions=9"),
        *("--conf", "spark.sql.adaptive.enabled=false"),
    )
    assert [line for line in text.splitlines() if line.strip().isdigit()][:3] == ["299999", "299998", "299997"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--table", "t=gone.parquet", "--query", "SELECT 1"], "--table t: there is no file or folder 'gone.parquet'"),
        (["--table", "gone.parquet", "--query", "SELECT 1"], "--table is 'gone.parquet', but must be NAME=PATH"),
        ([*TRADES, "--query", "gone.sql"], "--query: there is no file 'gone.sql'"),
        ([*TRADES, "--query", " ; "], "--query ' ; ' holds no SQL"),
        ([*TRADES, "--query", ""], "--query '' holds no SQL"),
        (
            [*TRADES, "--query", SQL, "--plot", "t"],
            "--plot is 't', but must name columns as TIME,VALUE or TIME,VALUE,GROUP",
        ),
        (
            [*TRADES, "--query", SQL, "--out", "trades.parquet"],
            "--out: 'trades.parquet' exists already; --overwrite replaces it",
        ),
        ([*TRADES, "--query", SQL, "--out", "result.doc"], "'result.doc' must end in"),
        ([*TRADES, "--query", SQL, "--conf", "a.b"], "--conf is 'a.b', but must be KEY=VALUE"),
        ([*TRADES, "--query", SQL, "--csv-option", "=;"], "--csv-option is '=;', but must be KEY=VALUE"),
        (
            [*TRADES, "--query", SQL, "--driver-memory", "lots"],
            "--driver-memory is 'lots', but must be a size such as 4g or 800m",
        ),
    ],
)
def test_a_wrong_argument_is_named_before_spark_starts(trades: Path, arguments, message):
    done = CliRunner().invoke(commands, ["run", *arguments])
    assert done.exit_code == 2
    assert f"Error: {message}" in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_the_arguments_become_a_job(trades: Path, monkeypatch):
    jobs = []
    monkeypatch.setattr(_run, "run", jobs.append)
    options = ["--conf", "spark.driver.memory=1g", "--conf", "spark.x=a=b", "--csv-option", "sep=;"]
    named = ["--driver-memory", "3g", "--time-zone", "Europe/Berlin", "--json-option", "multiLine=true"]
    done = CliRunner().invoke(commands, ["run", *TRADES, "--query", "-", *options, *named], input="SELECT 1 ;\n")
    assert done.exit_code == 0, done.output
    (job,) = jobs
    assert job.query == "SELECT 1"
    assert job.settings == {
        "spark.driver.memory": "3g",
        "spark.x": "a=b",
        "spark.sql.session.timeZone": "Europe/Berlin",
    }
    assert job.read_options == {"csv": {"sep": ";"}, "json": {"multiLine": "true"}}


@pytest.mark.long
def test_a_demo_over_a_stream_answers_as_over_the_table(output):
    text = output(*slide("demo", "--stream", "--days", "3"))
    assert "batch 1: " in text
    assert text.splitlines()[-1].startswith("2,699 flights answered, each once, in ")
    assert text.splitlines()[-1].endswith(": the same answer as over the table")


@pytest.mark.long
def test_an_interrupt_ends_the_demo_without_a_traceback(tmp_path: Path):
    running = subprocess.Popen(
        [sys.executable, *slide("demo", "--stream", "--days", "10")],
        cwd=tmp_path,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=(tmp_path / "stderr").open("w"),
        text=True,
        start_new_session=True,
    )
    try:
        for line in running.stdout:
            if line.startswith("batch 1:"):
                break
        time.sleep(0.5)  # into the next batch
        os.killpg(running.pid, signal.SIGINT)  # what a terminal sends, to the JVM as well
        running.stdout.read()
        assert running.wait(60) == 130
    finally:
        running.kill()
    told = (tmp_path / "stderr").read_text()
    assert told.strip().splitlines()[-1] == "Interrupted."
    assert "Traceback" not in told
    assert "\tat " not in told
    assert list(tmp_path.glob("slidewise-demo-*")) == []
