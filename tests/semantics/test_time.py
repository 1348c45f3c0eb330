"""Order keys in time: days of 23 and 25 hours, months of different lengths, zones."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import crossed
from plans import plan
from pyspark.sql import SparkSession
from session import settings
from sparks import SPARK, needs_days_between_dates

from semantics.conftest import Ask

NEW_YORK = "America/New_York"


def count(keys: list[str], kind: str, frame: str) -> str:
    values = ", ".join(f"({i}, {kind} '{key}')" for i, key in enumerate(keys))
    return f"SELECT i, count(*) OVER (ORDER BY t RANGE BETWEEN {frame}) FROM VALUES {values} AS v(i, t) ORDER BY i"


SPRING = ["2024-03-09 12:00:00", "2024-03-10 11:59:00", "2024-03-10 12:00:00", "2024-03-10 13:00:00"]


def test_a_day_to_second_interval_is_24_hours_long(ask: Ask) -> None:
    # 12:00 on the 9th is 23 hours before 12:00 on the 10th: the clocks went forward.
    sql = count(SPRING, "TIMESTAMP", "INTERVAL '23' HOUR PRECEDING AND CURRENT ROW")
    assert [n for _, n in ask(sql, session_timeZone=NEW_YORK)] == [1, 2, 3, 3]
    assert [n for _, n in ask(sql, session_timeZone="UTC")] == [1, 1, 2, 3]


def test_a_day_is_a_day_of_the_calendar(ask: Ask) -> None:
    sql = count(SPRING, "TIMESTAMP", "INTERVAL 1 DAY PRECEDING AND CURRENT ROW")
    calendar = ask(sql, session_timeZone=NEW_YORK, legacy_interval_enabled=True)
    assert [n for _, n in calendar] == [1, 2, 3, 3]
    assert ask(sql, session_timeZone=NEW_YORK) == calendar
    hours = count(SPRING, "TIMESTAMP", "INTERVAL '23:30' HOUR TO MINUTE PRECEDING AND CURRENT ROW")
    assert [n for _, n in ask(hours, session_timeZone=NEW_YORK)] == [1, 2, 3, 3]


@pytest.mark.skipif(SPARK < (4, 3), reason="timestamps with nanoseconds need Spark 4.3")
def test_timestamps_with_nanoseconds_as_keys(spark: SparkSession, tmp_path: Path) -> None:
    with settings(spark, {"spark.sql.timestampNanosTypes.enabled": "true"}):
        spark.sql(
            """SELECT id, IF(id % 7 = 0, NULL, CAST(timestamp_seconds(id % 10) AS TIMESTAMP_NTZ(9))) AS t, id % 2 AS w
               FROM range(60)"""
        ).write.parquet(f"{tmp_path}/rows")
        spark.read.parquet(f"{tmp_path}/rows").createOrReplaceTempView("nanos")
        for keys in ("t", "t, w"):
            sql = f"""SELECT id, count(*) OVER (PARTITION BY {keys}) AS n,
                sum(id) OVER (PARTITION BY {keys} ORDER BY id ROWS 2 PRECEDING) AS s FROM nanos"""
            found = spark.sql(sql)
            assert "SlidingWindow" in plan(found)
            rows = sorted(map(repr, found.collect()))
            with settings(spark, {"spark.slidewise.enabled": "false"}):
                assert rows == sorted(map(repr, spark.sql(sql).collect())), keys


def test_timestamps_without_zone_know_no_summer_time(ask: Ask) -> None:
    sql = count(SPRING, "TIMESTAMP_NTZ", "INTERVAL '23' HOUR PRECEDING AND CURRENT ROW")
    assert [n for _, n in ask(sql, session_timeZone=NEW_YORK)] == [1, 1, 2, 3]


def test_autumn_has_an_hour_twice(ask: Ask) -> None:
    keys = ["2024-11-03 04:30:00Z", "2024-11-03 05:30:00Z", "2024-11-03 06:30:00Z", "2024-11-04 05:30:00Z"]
    sql = count(keys, "TIMESTAMP", "INTERVAL '1' HOUR PRECEDING AND CURRENT ROW")
    assert [n for _, n in ask(sql, session_timeZone=NEW_YORK)] == [1, 2, 2, 1]


MONTHS = ["2024-01-29", "2024-01-30", "2024-01-31", "2024-02-29", "2024-03-01", "2024-03-29", "2024-03-31"]


@pytest.mark.parametrize(
    ("kind", "frame"),
    crossed(
        ["DATE", "TIMESTAMP", "TIMESTAMP_NTZ"],
        [
            "INTERVAL 1 MONTH PRECEDING AND CURRENT ROW",
            "CURRENT ROW AND INTERVAL 1 MONTH FOLLOWING",
            "INTERVAL 1 MONTH PRECEDING AND INTERVAL 1 MONTH FOLLOWING",
            "INTERVAL 1 YEAR PRECEDING AND UNBOUNDED FOLLOWING",
        ],
    ),
)
def test_months_of_different_lengths(ask: Ask, kind: str, frame: str) -> None:
    assert len(ask(count(MONTHS, kind, frame), session_timeZone=NEW_YORK)) == len(MONTHS)


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_NTZ"])
def test_calendar_intervals_of_months_days_and_hours(ask: Ask, kind: str) -> None:
    sql = count(MONTHS, kind, "INTERVAL 1 MONTH 1 DAY 1 HOUR PRECEDING AND CURRENT ROW")
    answer = ask(sql, session_timeZone=NEW_YORK, legacy_interval_enabled=True)
    assert [n for _, n in answer] == [1, 2, 3, 4, 3, 3, 4]


@pytest.mark.parametrize(
    "frame",
    [
        "1 PRECEDING AND 1 FOLLOWING",
        pytest.param("INTERVAL 1 DAY PRECEDING AND INTERVAL 1 DAY FOLLOWING", marks=needs_days_between_dates),
    ],
)
def test_dates_by_days(ask: Ask, frame: str) -> None:
    assert [n for _, n in ask(count(MONTHS, "DATE", frame))] == [2, 3, 2, 2, 2, 1, 1]


@pytest.mark.parametrize("key", ["make_ym_interval(0, id)", "make_dt_interval(0, 0, 0, id)"])
def test_intervals_as_order_keys(ask: Ask, key: str) -> None:
    unit = "MONTH" if "ym" in key else "SECOND"
    sql = f"""SELECT id, sum(id) OVER (ORDER BY {key} RANGE BETWEEN INTERVAL 2 {unit} PRECEDING AND CURRENT ROW)
              FROM (SELECT cast(id AS int) AS id FROM range(6)) ORDER BY id"""
    assert ask(sql) == [(0, 0), (1, 1), (2, 3), (3, 6), (4, 9), (5, 12)]


@pytest.mark.parametrize("zone", ["UTC", NEW_YORK, "Asia/Kolkata", "Pacific/Apia"])
def test_averages_and_extremes_of_time_in_any_zone(ask: Ask, zone: str) -> None:
    sql = """SELECT id, cast(max(t) OVER w AS string), cast(min_by(t, -id) OVER w AS string)
             FROM (SELECT id, timestamp '2011-12-29 00:00:00Z' + make_dt_interval(0, id * 7) AS t FROM range(20))
             WINDOW w AS (ORDER BY t RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) ORDER BY id"""
    assert len(ask(sql, session_timeZone=zone)) == 20
