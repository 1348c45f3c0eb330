"""The demo's queries, in plain Spark SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

LOAD = """
SELECT monotonically_increasing_id() AS id, carrier, concat(carrier, flight) AS flight, tailnum, origin, dest,
       make_timestamp_ntz(year, month, day, sched_dep_time DIV 100, sched_dep_time % 100, 0) AS at,
       CAST(dep_delay AS DOUBLE) AS delay
FROM flights_csv"""

# The columns have the local time, as those of the flights. `time_hour` is in UTC.
LOAD_WEATHER = """
SELECT origin, make_timestamp_ntz(year, month, day, hour, 0, 0) AS at, temp, wind_speed, precip, visib
FROM weather_csv"""


# A day without flights in the week before it has no mean. Its NaN breaks the line.
PICTURE = """
WITH carriers AS (SELECT carrier, count(*) AS flights, avg(delay) AS level FROM delays GROUP BY carrier),
     seen AS (SELECT carrier, CAST(at AS DATE) AS day, max_by(mean_delay_7d, at) AS mean_7d
              FROM delays GROUP BY carrier, CAST(at AS DATE)),
     days AS (SELECT carrier, explode(sequence(DATE '2013-01-01', DATE '2013-12-31')) AS day FROM carriers)
SELECT regexp_replace(name, ' (Inc\\\\.|Co\\\\.|Corporation)$', '') AS name, flights, level, day,
       coalesce(last(mean_7d) IGNORE NULLS OVER (PARTITION BY carrier ORDER BY day
                RANGE BETWEEN INTERVAL 6 DAYS PRECEDING AND CURRENT ROW), double('NaN')) AS mean_7d
FROM days LEFT JOIN seen USING (carrier, day) JOIN carriers USING (carrier) JOIN airlines USING (carrier)
ORDER BY level, name, day"""


# A flight arrives up to 110 minutes after its scheduled departure, 20 minutes on average.
ARRIVALS = """
SELECT id, carrier, origin, CAST(at AS TIMESTAMP) AS at, delay,
       ntile({batches}) OVER (ORDER BY heard_of, id) - 1 AS batch
FROM (SELECT *, at + make_dt_interval(0, 0, 0, least(-1200 * ln(1 - rand(7)), 6600)) AS heard_of
      FROM flights WHERE at < TIMESTAMP_NTZ '2013-01-01' + INTERVAL {days} DAYS)"""

# A last row, one year later, moves the watermark past all flights.
END = """
SELECT * FROM arrivals
UNION ALL SELECT -1, '', '', max(at) + INTERVAL 1 YEAR, NULL, max(batch) + 1 FROM arrivals"""

FEATURES = """SELECT id, carrier, origin, at, delay,
       count(*)                           OVER hour AS flights_1h,
       count(*) FILTER (WHERE delay > 15) OVER hour AS late_1h,
       count(*)                           OVER day  AS flights_1d,
       avg(delay)                         OVER day  AS mean_delay_1d,
       max(delay)                         OVER day  AS worst_delay_1d
FROM flights
WINDOW hour AS (PARTITION BY carrier, origin ORDER BY at RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW),
       day  AS (PARTITION BY carrier, origin ORDER BY at RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW)"""

# For each carrier and airport: the number of rows answered in a batch, and the last one.
LATEST = """
SELECT carrier, origin, count(*) AS answered, max(at) AS at, max_by(flights_1h, at) AS flights_1h,
       max_by(late_1h, at) AS late_1h, max_by(flights_1d, at) AS flights_1d, max_by(mean_delay_1d, at) AS mean_delay_1d,
       max_by(worst_delay_1d, at) AS worst_delay_1d
FROM answered GROUP BY carrier, origin"""


@dataclass(frozen=True)
class Query:
    """A query: its text, the condition of the rows to print, and its answer."""

    name: str
    title: str
    text: str
    excerpt: str
    answer: Callable[[SparkSession], DataFrame]


def _sql(name: str, title: str, sql: str, excerpt: str) -> Query:
    return Query(name, title, sql, excerpt, lambda spark: spark.sql(sql))


QUERIES = [
    _sql(
        "delay_7d",
        "Delay over the last 7 days, mean and standard deviation, by carrier",
        """SELECT id, carrier, at, delay,
       avg(delay)    OVER week AS mean_delay_7d,
       stddev(delay) OVER week AS stddev_delay_7d
FROM flights
WINDOW week AS (PARTITION BY carrier ORDER BY at RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW)""",
        "carrier = 'UA' AND at >= TIMESTAMP_NTZ '2013-07-04 12:00:00'",
    ),
    _sql(
        "worst",
        "Worst delay of the last 1,000 flights and its flight, by airport",
        """SELECT id, origin, at,
       max(delay)            OVER last AS worst_delay,
       max_by(flight, delay) OVER last AS worst_flight
FROM flights
WINDOW last AS (PARTITION BY origin ORDER BY at, id ROWS BETWEEN 999 PRECEDING AND CURRENT ROW)""",
        "origin = 'JFK' AND at >= TIMESTAMP_NTZ '2013-07-04 12:00:00'",
    ),
    _sql(
        "aircraft",
        "Approximate number of aircraft in the last 1,000 flights, by airport",
        """SELECT id, origin, at, tailnum,
       approx_count_distinct(tailnum) OVER last AS aircraft
FROM flights
WINDOW last AS (PARTITION BY origin ORDER BY at, id ROWS BETWEEN 999 PRECEDING AND CURRENT ROW)""",
        "origin = 'LGA' AND at >= TIMESTAMP_NTZ '2013-07-04 12:00:00'",
    ),
    _sql(
        "late",
        "Flights of the last 1,000 that left over an hour late, by carrier",
        """SELECT id, carrier, at, delay,
       count(*) FILTER (WHERE delay > 60) OVER last AS an_hour_late
FROM flights
WINDOW last AS (PARTITION BY carrier ORDER BY at, id ROWS BETWEEN 999 PRECEDING AND CURRENT ROW)""",
        "carrier = 'B6' AND at >= TIMESTAMP_NTZ '2013-07-04 12:00:00'",
    ),
    _sql(
        "hopping",
        "Departures and delay in three hours, every five minutes, by airport",
        """SELECT origin, window.end AS at, min(id) AS id,
       count(*) AS departures, avg(delay) AS mean_delay, max(delay) AS worst_delay
FROM flights
GROUP BY origin, window(at, '3 hours', '5 minutes')""",
        "origin = 'EWR' AND at >= TIMESTAMP_NTZ '2013-07-04 12:00:00'",
    ),
]
