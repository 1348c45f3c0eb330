"""A table of events, and queries that group them by a hopping window()."""

from __future__ import annotations

SHAPES = {
    "hours": "'1 hour', '10 minutes'",
    "no multiple": "'1 hour', '7 minutes'",
    "start": "'50 minutes', '20 minutes', '3 minutes'",
    "start before": "'90 minutes', '40 minutes', '-11 seconds'",
    "microseconds": "'7 microseconds', '3 microseconds', '1 microsecond'",
    "years": "'3000 days', '900 days', '13 days'",
    "barely longer": "'61 minutes', '1 hour'",
}
# Times from two hours before 1970 on; nulls, times twice, and a gap of a day behind every hundredth row.
SOURCE = """
    SELECT id,
      if(id % 23 = 0, NULL, timestamp_micros((h1 % 14400 - 7200) * 1000000 + id % 3 + if(id % 100 = 7, 86400000000, 0)))
        AS t,
      if(h2 % 9 = 8, NULL, h2 % 7) AS k, if(h2 % 11 = 0, NULL, h2 % 50) AS x
    FROM (SELECT id, pmod(xxhash64(id, 1), 100000) AS h1, pmod(xxhash64(id, 2), 100000) AS h2 FROM range(0, 600, 1, 3))
"""


def hopping(calls: str, shape: str = SHAPES["hours"], keys: str = "", time: str = "t") -> str:
    """The columns by which rows are told apart come first."""
    keys = keys and f", {keys}"
    return f"SELECT window({time}, {shape}) AS w{keys}, {calls} FROM hops GROUP BY window({time}, {shape}){keys}"
