"""The commands and their options."""

from __future__ import annotations

import re
from pathlib import Path

import click

import slidewise

_INTERRUPTED = 130


class _Commands(click.Group):
    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            ctx.exit(_INTERRUPTED)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """Sliding-window aggregation for Apache Spark."""


@commands.command()
@click.option(
    "--spark-version", metavar="VERSION", help="The Spark version to run on. Default: the one that PySpark starts."
)
@click.option(
    "--scala-version",
    metavar="VERSION",
    help="The Scala version of that Spark. Default: that of the Spark that PySpark starts; with --spark-version, 2.12 "
    "for Spark 3.5 and 2.13 for later versions.",
)
def jar(spark_version: str | None, scala_version: str | None) -> None:
    """Print the path of the jar, for --jars of spark-submit, spark-sql and spark-shell."""
    try:
        click.echo(slidewise.jar_path(spark_version, scala_version))
    except ValueError as error:
        raise click.ClickException(str(error)) from error


@commands.command()
def version() -> None:
    """Print the version of Slidewise, and the Spark and Scala versions that it supports."""
    sparks = [
        f"Spark {minor} with Scala {', '.join(slidewise.supported_scala_versions(minor))}"
        for minor in slidewise.supported_versions()
    ]
    click.echo(f"slidewise {slidewise.__version__} ({'; '.join(sparks)})")


@commands.command()
@click.option("--master", metavar="URL", help="The Spark master. Default: local[*].")
@click.option("--remote", metavar="URL", help="A Spark Connect server to check, as in sc://host:15002.")
@click.option("--conf", "conf", metavar="KEY=VALUE", multiple=True, help="A Spark setting. Repeatable.")
@click.option(
    "--self-test/--no-self-test", default=True, help="Compare the answers of windows with Slidewise on and off."
)
def doctor(master: str | None, remote: str | None, conf: tuple[str, ...], self_test: bool) -> None:
    """Check versions, jar, extension, settings, conflicts and answers, and say what to do.

    Exits with 1 if there is a problem."""
    from slidewise.cli import _doctor, _run

    if master is not None and remote is not None:
        raise click.UsageError("--master and --remote exclude each other")
    if remote is not None and not remote.startswith("sc://"):
        raise click.UsageError(f"--remote is {remote!r}, but must be a URL such as sc://host:15002")
    named = {"spark.master": master, "spark.remote": remote}
    settings = {
        **dict(_run.parse_pair("--conf", pair) for pair in conf),
        **{key: value for key, value in named.items() if value is not None},
    }
    if _doctor.run(settings, self_test):
        raise click.exceptions.Exit(1)


@commands.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="demo-out",
    show_default=True,
    help="Folder for the picture.",
)
@click.option(
    "--rounds", type=click.IntRange(min=1), default=1, show_default=True, help="Timed runs with Slidewise on and off."
)
@click.option("--stream", is_flag=True, help="Replay the flights as a stream with late and unordered events.")
@click.option(
    "--days", type=click.IntRange(1, 365), default=365, show_default=True, help="Days of the year, with --stream."
)
def demo(out: Path, rounds: int, stream: bool, days: int) -> None:
    """Run sliding windows over the flights out of New York in 2013, with Slidewise on and off.

    With --stream, the windows run over a stream of the flights."""
    if stream:
        from slidewise.cli import _demo_stream

        _demo_stream.run(days)
    else:
        from slidewise.cli import _demo

        _demo.run(out, rounds)


@commands.command()
@click.option(
    "--table",
    "tables",
    metavar="NAME=PATH",
    multiple=True,
    required=True,
    help="A Parquet, CSV or JSON file or folder, and its name in the query. Repeatable.",
)
@click.option("--query", required=True, metavar="SQL", help="A .sql file, '-' for standard input, or the SQL itself.")
@click.option(
    "--csv-option",
    "csv_options",
    metavar="KEY=VALUE",
    multiple=True,
    help="An option of Spark's CSV reader for the tables, as in sep=';', header=false or nullValue=NA. Repeatable. "
    "Default: header=true and inferSchema=true.",
)
@click.option(
    "--json-option",
    "json_options",
    metavar="KEY=VALUE",
    multiple=True,
    help="An option of Spark's JSON reader for the tables, as in multiLine=true. Repeatable.",
)
@click.option("--out", metavar="PATH", help="Write the result to this folder, named .parquet, .csv or .json.")
@click.option("--overwrite", is_flag=True, help="Replace --out if it exists.")
@click.option("--rows", type=click.IntRange(min=0), default=10, show_default=True, help="Rows to print.")
@click.option("--explain", is_flag=True, help="List the window expressions and whether Slidewise runs them.")
@click.option("--compare", is_flag=True, help="Run the query with Slidewise on and off; compare times and answers.")
@click.option(
    "--plot",
    metavar="TIME,VALUE[,GROUP]",
    help="Draw VALUE over TIME, a panel for each GROUP. A gap of more than five median time steps breaks the line.",
)
@click.option(
    "--plot-to",
    type=click.Path(dir_okay=False, path_type=Path),
    default="plot.png",
    show_default=True,
    help="The file of the picture.",
)
@click.option("--master", metavar="URL", help="The Spark master. Default: local[*].")
@click.option("--driver-memory", metavar="SIZE", help="The memory of the driver, as in 4g or 800m. Default: 2g.")
@click.option("--time-zone", metavar="ZONE", help="The session's time zone, as in Europe/Berlin. Default: UTC.")
@click.option(
    "--conf",
    "conf",
    metavar="KEY=VALUE",
    multiple=True,
    help="A Spark setting. Repeatable. The options above take precedence.",
)
def run(
    tables: tuple[str, ...],
    query: str,
    csv_options: tuple[str, ...],
    json_options: tuple[str, ...],
    out: str | None,
    overwrite: bool,
    rows: int,
    explain: bool,
    compare: bool,
    plot: str | None,
    plot_to: Path,
    master: str | None,
    driver_memory: str | None,
    time_zone: str | None,
    conf: tuple[str, ...],
) -> None:
    """Run a query over your own files, with Slidewise on."""
    from slidewise.cli import _run

    if driver_memory is not None and not re.fullmatch(r"[1-9][0-9]*[kmgt]b?", driver_memory.lower()):
        raise click.UsageError(f"--driver-memory is {driver_memory!r}, but must be a size such as 4g or 800m")
    named = {"spark.master": master, "spark.driver.memory": driver_memory, "spark.sql.session.timeZone": time_zone}
    _run.run(
        _run.Job(
            tables=dict(_run.parse_table(table) for table in tables),
            query=_run.read_query(query),
            out=out,
            overwrite=overwrite,
            explain=explain,
            compare=compare,
            plot=_run.parse_plot(plot) if plot is not None else None,
            plot_to=plot_to,
            rows=rows,
            settings={
                **dict(_run.parse_pair("--conf", pair) for pair in conf),
                **{key: value for key, value in named.items() if value is not None},
            },
            read_options={
                "csv": dict(_run.parse_pair("--csv-option", pair) for pair in csv_options),
                "json": dict(_run.parse_pair("--json-option", pair) for pair in json_options),
            },
        )
    )


@commands.group()
def checkpoint() -> None:
    """Describe, check and rescale the checkpoint of a stopped streaming query with windows."""


_master = click.option("--master", metavar="URL", help="The Spark master. Default: local[*].")
_conf = click.option("--conf", "conf", metavar="KEY=VALUE", multiple=True, help="A Spark setting. Repeatable.")


def _settings(master: str | None, conf: tuple[str, ...]) -> dict[str, str]:
    from slidewise.cli import _run

    given = dict(_run.parse_pair("--conf", pair) for pair in conf)
    return given if master is None else {**given, "spark.master": master}


@checkpoint.command()
@click.argument("path")
@_master
@_conf
def describe(path: str, master: str | None, conf: tuple[str, ...]) -> None:
    """Print the query, the last batch, the watermark and the state of each operator."""
    from slidewise.cli import _checkpoint

    _checkpoint.describe(path, _settings(master, conf))


@checkpoint.command()
@click.argument("path")
@_master
@_conf
def check(path: str, master: str | None, conf: tuple[str, ...]) -> None:
    """Read the whole state of the last committed batch.

    Exits with 1 if a part of it is not readable."""
    from slidewise.cli import _checkpoint

    if _checkpoint.check(path, _settings(master, conf)):
        raise click.exceptions.Exit(1)


@checkpoint.command()
@click.argument("path")
@click.argument("new_path")
@click.option("--partitions", type=click.IntRange(min=1), help="The new number of shuffle partitions.")
@click.option("--store", type=click.Choice(["rocksdb", "hdfs"]), help="The new state store.")
@_master
@_conf
def rescale(
    path: str,
    new_path: str,
    partitions: int | None,
    store: str | None,
    master: str | None,
    conf: tuple[str, ...],
) -> None:
    """Write the checkpoint in PATH to NEW_PATH, with another number of partitions or in another state store.

    The query must not run. PATH stays as it is."""
    from slidewise.cli import _checkpoint

    if partitions is None and store is None:
        raise click.UsageError("nothing to change: give --partitions, --store or both")
    _checkpoint.rescale(path, new_path, partitions, store, _settings(master, conf))


def main() -> None:
    """The entry point of `python -m slidewise` and of the `slidewise` script."""
    commands(prog_name="slidewise")
