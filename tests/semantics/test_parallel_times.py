"""RANGE frames by days and months, where a later time plus the interval may be an earlier one."""

from __future__ import annotations

import pytest
from cases import crossed
from pyspark.sql import SparkSession

from semantics.sharing import Sharing

ROWS = 1_500
# The zone, and the first and the last of the times: around a change of the clocks, and around the ends of months.
DAYS = [
    ("America/New_York", "timestamp'2023-11-05 04:30:00Z'", 3),
    ("Pacific/Apia", "timestamp'2011-12-28 22:00:00Z'", 96),
    ("America/New_York", "timestamp'2024-03-10 05:30:00Z'", 3),
]
MONTHS = [
    ("UTC", "timestamp'2024-01-29 00:00:00'", 84),
    ("UTC", "timestamp_ntz'2023-01-28 00:00:00'", 108),
]
FRAMES = [
    "{} FOLLOWING AND {} FOLLOWING",
    "{} PRECEDING AND CURRENT ROW",
    "{} PRECEDING AND {} PRECEDING",
    "{} FOLLOWING AND UNBOUNDED FOLLOWING",
    "UNBOUNDED PRECEDING AND {} FOLLOWING",
]


def ask(spark: SparkSession, times: tuple[str, str, int], unit: str, later: int, frame: str, order: str) -> None:
    """Times of `hours`, and the same ones `later` days later."""
    zone, start, hours = times
    steps = f"id % {ROWS} * {hours * 3600 / ROWS}"
    time = f"{start} + make_dt_interval(cast(id div {ROWS} * {later} AS int), 0, 0, {steps})"
    bounds = [f"INTERVAL 1 {unit}", f"INTERVAL 2 {unit}"]
    if frame.endswith("{} PRECEDING"):
        bounds.reverse()
    over = f"OVER (ORDER BY t {order} RANGE BETWEEN {frame.format(*bounds)})"
    query = f"""SELECT id, min(id) {over}, max(id) {over}, count(*) {over}, sum(id) {over}
                FROM (SELECT id, {time} AS t FROM range(0, {2 * ROWS}, 1, 4))"""
    Sharing(spark).ask(query, session_timeZone=zone)


@pytest.mark.parametrize(("times", "frame", "order"), crossed(DAYS, FRAMES, ["ASC", "DESC"]))
def test_days(spark: SparkSession, times: tuple[str, str, int], frame: str, order: str) -> None:
    ask(spark, times, "DAY", 1, frame, order)


@pytest.mark.parametrize(("times", "frame", "order"), crossed(MONTHS, FRAMES, ["ASC", "DESC"]))
def test_months(spark: SparkSession, times: tuple[str, str, int], frame: str, order: str) -> None:
    ask(spark, times, "MONTH", 30, frame, order)
