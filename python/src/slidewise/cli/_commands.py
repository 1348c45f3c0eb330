"""The commands and their options."""

from __future__ import annotations

from pathlib import Path

import click

import slidewise


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """Sliding-window aggregation for Apache Spark."""


@commands.command()
@click.option("--spark-version", metavar="VERSION", help="For this Spark, not the one that PySpark would start.")
def jar(spark_version: str | None) -> None:
    """Print the path of the jar, for --jars of spark-submit, spark-sql and spark-shell."""
    try:
        click.echo(slidewise.jar_path(spark_version))
    except ValueError as error:
        raise click.ClickException(str(error)) from error


@commands.command()
def version() -> None:
    """Print the version, and the Spark versions that it runs on."""
    click.echo(f"slidewise {slidewise.__version__} (Spark {', '.join(slidewise.supported_versions())})")


@commands.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="demo-out",
    show_default=True,
    help="Folder for the picture.",
)
@click.option("--rounds", type=click.IntRange(min=1), default=1, show_default=True, help="Timed runs, on and off.")
@click.option("--stream", is_flag=True, help="Replay them as a stream that is late and out of order, instead.")
@click.option(
    "--days", type=click.IntRange(1, 365), default=365, show_default=True, help="Days of the year, with --stream."
)
def demo(out: Path, rounds: int, stream: bool, days: int) -> None:
    """Run sliding windows over the flights out of New York in 2013, with Slidewise on and off; or, with --stream, over
    a stream of them."""
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
@click.option("--out", metavar="PATH", help="Write the result here (.parquet, .csv or .json), as Spark's folder.")
@click.option("--overwrite", is_flag=True, help="Replace --out where it exists.")
@click.option("--explain", is_flag=True, help="Say which window expressions Slidewise runs, and why not the others.")
@click.option(
    "--compare", is_flag=True, help="Run it with Slidewise on and off: the time of both, and the same answer?"
)
@click.option("--plot", metavar="TIME,VALUE[,GROUP]", help="Draw VALUE over TIME, a panel for each GROUP.")
@click.option(
    "--plot-to",
    type=click.Path(dir_okay=False, path_type=Path),
    default="plot.png",
    show_default=True,
    help="Where the picture goes.",
)
@click.option("--rows", type=click.IntRange(min=0), default=10, show_default=True, help="Rows to print.")
@click.option("--master", default="local[*]", show_default=True, help="The Spark master.")
def run(
    tables: tuple[str, ...],
    query: str,
    out: str | None,
    overwrite: bool,
    explain: bool,
    compare: bool,
    plot: str | None,
    plot_to: Path,
    rows: int,
    master: str,
) -> None:
    """Run a query over files of your own, with Slidewise on."""
    from slidewise.cli import _run

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
            master=master,
        )
    )


def main() -> None:
    """The entry point of `python -m slidewise` and of the `slidewise` script."""
    commands(prog_name="slidewise")
