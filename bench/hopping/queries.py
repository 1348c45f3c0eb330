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
    flink: str | None = None
    """The same for Flink, if it has the functions."""
    rows: int | None = None
    """How many rows to run on, if not on all: Spark would take too long."""
    hopping: bool = True
    approximate: bool = False
    """Whether answers may differ within the functions' error."""

    def over(self, events: str, engine: str) -> str:
        own = {"DuckDB": self.duckdb, "Flink": self.flink}.get(engine)
        return (own or self.sql).format(events=events)

    def checksum(self, events: str, engine: str) -> str:
        """A query with one row: the number of windows, and sums of the answers and of the windows' starts."""
        start = "start_time" if engine == "Flink" else "start"
        exact = "" if self.approximate else f", sum(a), sum(b * (hour({start}) + 1))"
        return f"SELECT count(*), count(DISTINCT {start}){exact} FROM ({self.over(events, engine)}) AS answers"


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


def _of_flink(key: str, windows: str) -> str:
    """Over one of Flink's tables of windows."""
    answers = f"{key} AS k, window_start AS start_time, {_EXACT}"
    return f"SELECT {answers} FROM TABLE({windows}) GROUP BY {key}, window_start, window_end"


def _hop(key: str, time: str, size: str) -> str:
    number, unit = size.split()
    events = "events_of_many" if key == "many" else "events"
    intervals = f"INTERVAL '1' MINUTE, INTERVAL '{number}' {unit.upper().rstrip('S')}"
    return _of_flink(key, f"HOP(TABLE {events}, DESCRIPTOR(`{time}`), {intervals})")


def _hopping(
    name: str,
    key: str,
    time: str,
    size: str,
    answers: str = _EXACT,
    approximate: bool = False,
    rows: int | None = None,
) -> Query:
    return Query(
        name,
        _spark(key, time, f"'{size}', '1 minute'", answers),
        None if approximate else _generated(key, time, size, "1 minute", answers),
        None if approximate else _hop(key, time, size),
        rows,
        approximate=approximate,
    )


QUERIES = [
    Query(
        TUMBLING,
        _spark("k", "ts", "'1 minute'", _EXACT),
        f"SELECT k, time_bucket(INTERVAL '1 minute', ts) AS start, {_EXACT} FROM {{events}} GROUP BY ALL",
        _of_flink("k", "TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE)"),
        hopping=False,
    ),
    _hopping("1 hour every minute", "k", "ts", "1 hour"),
    _hopping("24 hours every minute", "k", "ts", "24 hours"),
    _hopping(
        "1 hour every minute, approx_count_distinct", "k", "ts", "1 hour", "approx_count_distinct(x) AS a, 0 AS b", True
    ),
    _hopping(
        "1 hour every minute, percentile_approx",
        "k",
        "ts",
        "1 hour",
        "percentile_approx(x, 0.5) AS a, 0 AS b",
        True,
        rows=400_000,
    ),
    _hopping("1 hour every minute, 100,000 keys", "many", "minute", "1 hour"),
]
