"""The demo's joins of flights with the weather before them, through the Python functions."""

from __future__ import annotations

import inspect
from textwrap import dedent
from typing import TYPE_CHECKING

import slidewise
from slidewise.cli._demo_queries import Query

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

# The week of the blizzard of 8 February 2013. Without Slidewise, Spark compares each departure with each observation:
# for the whole year, this would take many minutes.
WEEK = "at >= TIMESTAMP_NTZ '2013-02-04' AND at < TIMESTAMP_NTZ '2013-02-11'"


def weather_before(flights: DataFrame, weather: DataFrame) -> DataFrame:
    import slidewise.functions as sw

    hours = sw.trailing(interval="3 hours")
    return slidewise.window_join(
        flights.select("id", "flight", "origin", "at", "delay"),
        weather,
        {
            "observations": ("count(*)", hours),
            "precip_3h": ("sum(precip)", hours),
            "worst_visib": ("min(visib)", hours),
            "most_wind": ("max(wind_speed)", hours),
        },
        on="at",
        by="origin",
    )


def weather_at(flights: DataFrame, weather: DataFrame) -> DataFrame:
    return slidewise.asof_join(
        flights.select("id", "flight", "origin", "at", "delay"),
        weather,
        on="at",
        by="origin",
        tolerance="3 hours",
    )


def _join(name: str, title: str, function: Callable[[DataFrame, DataFrame], DataFrame], flights: str) -> Query:
    def answer(spark: SparkSession) -> DataFrame:
        return function(spark.table(flights), spark.table("weather"))

    text = dedent(inspect.getsource(function)).rstrip()
    return Query(name, title, text, "origin = 'LGA' AND at >= TIMESTAMP_NTZ '2013-02-08 13:00:00'", answer)


def joins(flights: str) -> list[Query]:
    """The joins over the flights in a view."""
    return [
        _join("weather_3h", "Weather of the 3 hours before each flight", weather_before, flights),
        _join("weather_at", "Last weather report before each flight", weather_at, flights),
    ]
