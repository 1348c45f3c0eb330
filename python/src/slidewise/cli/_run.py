"""`slidewise run`: a query over the reader's own files."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

import slidewise
from slidewise.cli import _compare, _picture, _points, _table
from slidewise.cli._progress import progress
from slidewise.cli._session import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FORMATS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json"}
_COMPRESSED = {".gz", ".bz2", ".zst", ".snappy", ".lz4"}


@dataclass
class Job:
    """What the command line asks for."""

    tables: dict[str, Path]
    query: str
    out: str | None
    overwrite: bool
    explain: bool
    compare: bool
    plot: tuple[str, str, str | None] | None
    plot_to: Path
    rows: int
    master: str


def parse_table(argument: str) -> tuple[str, Path]:
    """The name and the path of a `--table name=path`."""
    name, equals, path = argument.partition("=")
    if not (name.isidentifier() and equals and path):
        raise click.UsageError(f"--table is {argument!r}, but must be NAME=PATH, as in trades=trades.parquet")
    if not Path(path).exists():
        raise click.UsageError(f"--table {name}: there is no file or folder {path!r}")
    format_of(path)
    return name, Path(path)


def read_query(argument: str) -> str:
    """The SQL that a `--query` names: a file's, standard input's, or its own."""
    if argument == "-":
        sql = sys.stdin.read()
    elif argument.endswith(".sql") or ("\n" not in argument and " " not in argument):
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


def format_of(path: str) -> str:
    """Spark's name of a file's format, by its ending; a folder without one takes that of a file in it."""
    endings = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() not in _COMPRESSED]
    if endings and endings[-1] in _FORMATS:
        return _FORMATS[endings[-1]]
    inside = (format_of(str(file)) for file in sorted(Path(path).glob("*.*")) if file.suffix in _FORMATS)
    found = next(inside, None)
    if found is None:
        raise click.UsageError(f"{path!r} must end in .parquet, .csv, .json or .jsonl, or be a folder of such files")
    return found


def run(job: Job) -> None:
    """Runs the job and prints what it asks for."""
    if job.out is not None:
        format_of(job.out)
        if Path(job.out).exists() and not job.overwrite:
            raise click.UsageError(f"--out: {job.out!r} exists already; --overwrite replaces it")
    with session(job.master) as spark:
        for name, path in job.tables.items():
            _read(spark, path).createOrReplaceTempView(name)
        result = spark.sql(job.query)
        if job.explain:
            click.echo(_table.render(slidewise.explain(result)))
        if job.compare:
            _print_comparison(spark, job.query)
        if job.out is not None:
            with progress(spark, f"writing {job.out}"):
                _write(result, job)
            result = _read(spark, Path(job.out))
            click.echo(f"wrote {job.out}")
        if job.rows and not (job.out is not None and job.plot):
            with progress(spark, "running the query"):
                text = _table.render(result, job.rows)
            click.echo(text)
        if job.plot is not None:
            time, value, group = job.plot
            with progress(spark, "drawing"):
                series = _points.series_of(result, time, value, group)
                by = f", by {group}" if group else ""
                _picture.draw(series, job.plot_to, f"{value}{by}", f"over {time}", value)
            click.echo(f"drew {job.plot_to}")


def _read(spark: SparkSession, path: Path) -> DataFrame:
    reader = spark.read.format(format_of(str(path)))
    return reader.option("header", True).option("inferSchema", True).load(str(path))


def _write(result: DataFrame, job: Job) -> None:
    assert job.out is not None
    writer = result.write.format(format_of(job.out)).mode("overwrite" if job.overwrite else "errorifexists")
    writer.option("header", True).save(job.out)


def _print_comparison(spark: SparkSession, query: str) -> None:
    with tempfile.TemporaryDirectory(prefix="slidewise-") as folder:
        _compare.compare(spark, query, Path(folder), name="warm-up")
        comparison = _compare.compare(spark, query, Path(folder))
        differing = _compare.differing_rows(spark, comparison)
    click.echo(f"{comparison}; {'the same answer' if differing == 0 else f'{differing} rows differ'}")
    if differing:
        raise click.ClickException("the answers with Slidewise on and off are not the same")
