"""`slidewise run`: a query over the user's own files."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

import slidewise
from slidewise import _plot
from slidewise.cli import _compare, _inputs, _queries, _table
from slidewise.cli._progress import progress
from slidewise.cli._session import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass
class Job:
    """The arguments of the command line."""

    tables: dict[str, Path]
    query: str
    out: str | None = None
    overwrite: bool = False
    explain: bool = False
    compare: bool = False
    plot: tuple[str, str, str | None] | None = None
    plot_to: Path = Path("plot.png")
    rows: int = 10
    settings: dict[str, str] = field(default_factory=dict)
    read_options: dict[str, dict[str, str]] = field(default_factory=dict)
    """The options of each format's reader, by the name of the format."""


def parse_table(argument: str) -> tuple[str, Path]:
    """The name and the path of a `--table name=path`."""
    name, equals, path = argument.partition("=")
    if not (name.isidentifier() and equals and path):
        raise click.UsageError(f"--table is {argument!r}, but must be NAME=PATH, as in trades=trades.parquet")
    if not Path(path).exists():
        raise click.UsageError(f"--table {name}: there is no file or folder {path!r}")
    _inputs.format_of(path)
    return name, Path(path)


def parse_pair(option: str, argument: str) -> tuple[str, str]:
    """The key and the value of an option that takes KEY=VALUE; the value may be empty."""
    key, equals, value = argument.partition("=")
    if not (equals and key.strip()):
        raise click.UsageError(f"{option} is {argument!r}, but must be KEY=VALUE")
    return key.strip(), value


def read_query(argument: str) -> str:
    """The SQL that `--query` names: a file's, standard input's, or the argument itself."""
    if argument == "-":
        sql = sys.stdin.read()
    elif argument.endswith(".sql") or (argument and "\n" not in argument and " " not in argument):
        if not Path(argument).is_file():
            raise click.UsageError(f"--query: there is no file {argument!r}")
        sql = Path(argument).read_text(encoding="utf-8")
    else:
        sql = argument
    sql = sql.strip().removesuffix(";").strip()
    if not sql:
        raise click.UsageError(f"--query {argument!r} holds no SQL")
    return sql


def parse_plot(argument: str) -> tuple[str, str, str | None]:
    """The columns of a `--plot time,value,group`."""
    names = [name.strip() for name in argument.split(",")]
    if len(names) not in (2, 3) or not all(names):
        raise click.UsageError(f"--plot is {argument!r}, but must name columns as TIME,VALUE or TIME,VALUE,GROUP")
    return names[0], names[1], names[2] if len(names) == 3 else None


def run(job: Job) -> None:
    """Runs the job in a session of its own."""
    if job.out is not None:
        _inputs.format_of(job.out)
        if Path(job.out).exists() and not job.overwrite:
            raise click.UsageError(f"--out: {job.out!r} exists already; --overwrite replaces it")
    # The folder outlives the session, whose tasks write into it.
    with tempfile.TemporaryDirectory(prefix="slidewise-") as scratch, session(job.settings) as spark:
        perform(spark, job, Path(scratch))


def perform(spark: SparkSession, job: Job, scratch: Path) -> None:
    """Runs the job's query in the session and prints, writes and draws the result."""
    for kind, options in job.read_options.items():
        _inputs.check_options(spark, kind, options)
    for name, path in job.tables.items():
        _inputs.read(spark, name, path, job.read_options).createOrReplaceTempView(name)
    if job.compare:
        _refuse_statement(spark, job.query)
    result = spark.sql(job.query)
    if job.plot is not None:
        try:
            _plot.check(result, *job.plot, names=("TIME", "VALUE", "GROUP"))
        except ValueError as error:
            raise click.UsageError(f"--plot: {error}") from error
        except ImportError as error:
            raise click.ClickException(str(error)) from error
    if job.explain:
        click.echo(_table.render(slidewise.explain(result)))
    if job.compare:
        _print_comparison(spark, job.query, result, scratch)
    if job.out is not None:
        if (job.rows and result.columns) or job.plot is not None:
            # The query need not run again. The file may have its rows in another order.
            result = result.persist()
        with progress(spark, f"writing {job.out}"):
            _write(result, job.out, job.overwrite)
        click.echo(f"wrote {job.out}")
    if job.rows and result.columns:
        with progress(spark, "running the query"):
            text = _table.render(result, job.rows)
        click.echo(text)
    if job.plot is not None:
        _draw(spark, result, job.plot, job.plot_to)


def _draw(spark: SparkSession, result: DataFrame, columns: tuple[str, str, str | None], to: Path) -> None:
    try:
        with progress(spark, "drawing"):
            _plot.picture_of(result, *columns).save(to)
    except ValueError as error:  # nothing to draw
        raise click.ClickException(str(error)) from error
    click.echo(f"drew {to}")


def _write(result: DataFrame, out: str, overwrite: bool) -> None:
    writer = result.write.format(_inputs.format_of(out)).mode("overwrite" if overwrite else "errorifexists")
    writer.option("header", True).save(out)


def _refuse_statement(spark: SparkSession, query: str) -> None:
    statement = _queries.statement_in(spark, query)
    if statement is not None:
        raise click.UsageError(
            f"--compare runs the query several times, and --query is a statement ({statement}), not a query"
        )


def _print_comparison(spark: SparkSession, query: str, result: DataFrame, scratch: Path) -> None:
    def answer(spark: SparkSession) -> DataFrame:
        return spark.sql(query)

    _compare.compare(spark, answer, scratch, name="warm-up")
    comparison = _compare.compare(spark, answer, scratch)
    differing = _compare.differing_rows(spark, comparison)
    if not differing:
        click.echo(f"{comparison}; the same answer")
        return
    click.echo(f"{comparison}; {differing} rows differ")
    changing = _queries.changing_functions(result)
    if not changing:
        raise click.ClickException("the answers with Slidewise on and off are not the same")
    click.echo(
        f"The query is not deterministic ({', '.join(changing)}): two runs on Spark alone may differ, too, "
        "and the answers cannot be compared"
    )
