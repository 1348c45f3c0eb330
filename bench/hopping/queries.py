"""Hopping windows of several lengths over the same events, and the tumbling windows that they are compared with."""

from __future__ import annotations

from dataclasses import dataclass

TUMBLING = "tumbling, 1 minute"
_EXACT = "sum(x) AS a, max(x) AS b"


@dataclass(frozen=True)
class Query:
    """`{events}` stands for the table in the SQL; the answers are `a` and `b`."""

    name: str
    sql: str
    duckdb: str | None = None
    """The same for DuckDB, if it has the functions."""
    hopping: bool = True
    approximate: bool = False
    """Whether answers may differ within the functions' error."""

    def over(self, events: str, engine: str) -> str:
        return (self.duckdb if engine == "DuckDB" and self.duckdb else self.sql).format(events=events)

    def checksum(self, events: str, engine: str) -> str:
        """A query with one row: the number of windows, and sums of the answers and of the windows' starts."""
        sums = "count(*), count(DISTINCT start)" + ("" if self.approximate else ", sum(a), sum(b * (hour(start) + 1))")
        return f"SELECT {sums} FROM ({self.over(events, engine)}) AS answers"


def _spark(key: str, time: str, window: str, answers: str) -> str:
    return f"SELECT {key}, window.start AS start, {answers} FROM {{events}} GROUP BY {key}, window({time}, {window})"


def _generated(key: str, time: str, size: str, slide: str, answers: str) -> str:
    """A range join to all windows between the first event and the last."""
    series = (
        f"SELECT unnest(generate_series(time_bucket(INTERVAL '{slide}', min({time})) - INTERVAL '{size}', max({time}), "
        f"INTERVAL '{slide}')) AS start FROM {{events}}"
    )
    return (
        f"SELECT {key}, start, {answers} FROM {{events}} JOIN ({series}) "
        f"ON {time} >= start AND {time} < start + INTERVAL '{size}' GROUP BY {key}, start"
    )


def _hopping(name: str, key: str, time: str, size: str, answers: str = _EXACT, approximate: bool = False) -> Query:
    return Query(
        name,
        _spark(key, time, f"'{size}', '1 minute'", answers),
        None if approximate else _generated(key, time, size, "1 minute", answers),
        approximate=approximate,
    )


QUERIES = [
    Query(
        TUMBLING,
        _spark("k", "ts", "'1 minute'", _EXACT),
        f"SELECT k, time_bucket(INTERVAL '1 minute', ts) AS start, {_EXACT} FROM {{events}} GROUP BY ALL",
        hopping=False,
    ),
    _hopping("1 hour every minute", "k", "ts", "1 hour"),
    _hopping("24 hours every minute", "k", "ts", "24 hours"),
    _hopping(
        "1 hour every minute, approx_count_distinct", "k", "ts", "1 hour", "approx_count_distinct(x) AS a, 0 AS b", True
    ),
    _hopping(
        "1 hour every minute, percentile_approx", "k", "ts", "1 hour", "percentile_approx(x, 0.5) AS a, 0 AS b", True
    ),
    _hopping("1 hour every minute, 100,000 keys", "many", "minute", "1 hour"),
]
