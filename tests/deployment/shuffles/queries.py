"""Queries whose rows pass the exchanges of Slidewise, and the operators that their plans must show."""

from __future__ import annotations

from dataclasses import dataclass, field

ROWS = 20_000
TABLES = {
    "events": f"""SELECT id, id % 7 AS k, if(id % 10 < 9, 0, id % 7) AS hot, id * 48271 % 10007 AS t,
        concat('row ', id % 101) AS s, timestamp_seconds(id * 48271 % 10007) AS ts FROM range(0, {ROWS}, 1, 4)""",
    "requests": f"""SELECT id, id % 7 AS k, if(id % 10 < 9, 0, id % 7) AS hot, id * 31 % 10007 AS t
        FROM range(0, {ROWS // 10}, 1, 3)""",
}
_SHARED = {"spark.slidewise.parallel.minRows": "1000"}
_FOUND = _SHARED | {"spark.slidewise.parallel.skewThreshold": "1k", "spark.slidewise.parallel.cores": "8"}
_EXPECTED = _SHARED | {"spark.slidewise.parallel.skewedKeys": "expected"}

_BY_KEY = "OVER (PARTITION BY k ORDER BY t, id ROWS 99 PRECEDING)"
_HOT = "OVER (PARTITION BY hot ORDER BY t, id ROWS BETWEEN 9 PRECEDING AND 5 FOLLOWING)"
_GROWING = "OVER (PARTITION BY hot ORDER BY t, id)"
_NEAR = "e.t > l.t - 500 AND e.t <= l.t"
_LATERAL = "SELECT sum(e.t) AS a, max_by(e.s, e.id) AS b FROM events e WHERE"


@dataclass(frozen=True)
class Query:
    sql: str
    operators: tuple[str, ...]
    settings: dict[str, str] = field(default_factory=dict)


_BLOCKS, _RUNS = ("BlockExchange", "SlidingWindow"), ("RunsExchange", "SlidingWindow")
_SKEWED = f"SELECT id, sum(t) {_HOT} AS a, max_by(s, t) {_HOT} AS b, sum(t) {_GROWING} AS c FROM events"
_JOINED = f"SELECT l.id, f.* FROM requests l LEFT JOIN LATERAL ({_LATERAL} e.hot = l.hot AND {_NEAR}) f ON true"

QUERIES = {
    "by key": Query(f"SELECT id, sum(t) {_BY_KEY} AS a, max_by(s, t) {_BY_KEY} AS b FROM events", _BLOCKS),
    "no keys": Query(
        "SELECT id, sum(t) OVER (ORDER BY t, id ROWS 99 PRECEDING) AS a, max(s) OVER (ORDER BY t, id) AS b FROM events",
        _RUNS,
        _SHARED,
    ),
    # Ties: the frames take all of them.
    "no keys, range": Query(
        "SELECT id, sum(id) OVER (ORDER BY t RANGE 9 PRECEDING) AS a, dense_rank() OVER (ORDER BY t) AS b FROM events",
        _RUNS,
        _SHARED,
    ),
    "whole table": Query("SELECT id, sum(t) OVER () AS a, max(s) OVER () AS b FROM events", _RUNS, _SHARED),
    "skew that is found": Query(_SKEWED, ("BlockExchange", *_RUNS), _FOUND),
    "skew that is expected": Query(_SKEWED, _RUNS, _EXPECTED),
    "window join": Query(_JOINED, ("BlockExchange", "WindowJoin"), {"spark.slidewise.windowJoins.filterRatio": "0"}),
    "window join, shared": Query(_JOINED, ("RunsExchange", "WindowJoin"), _EXPECTED),
    "hopping": Query(
        """SELECT window.start AS id, k, count(*) AS a, max(s) AS b FROM events
            GROUP BY window(ts, '1 hour', '5 minutes'), k""",
        ("HoppingWindow",),
    ),
    "first rows": Query(
        "SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY t, id) AS a FROM events) WHERE a <= 2",
        ("WindowTopRows", *_BLOCKS),
    ),
    "distinct": Query(
        """SELECT DISTINCT k, a FROM (
            SELECT k, count(*) OVER (PARTITION BY k ORDER BY t RANGE 99 PRECEDING) AS a FROM events)""",
        _BLOCKS,
    ),
    "an exchange that is read twice": Query(
        f"""SELECT id, sum(t) {_BY_KEY} AS a FROM events UNION ALL
            SELECT id, max(t) OVER (PARTITION BY k ORDER BY t, id ROWS 9 PRECEDING) AS a FROM events""",
        ("ReusedExchange", *_BLOCKS),
    ),
    "several stages": Query(
        f"""SELECT k, count(*) AS n, sum(b) AS b FROM (
                SELECT k, a, sum(a) OVER (ORDER BY t, id ROWS 9 PRECEDING) AS b FROM (
                    SELECT id, k, t, sum(t) {_BY_KEY} AS a FROM events WHERE id IN (SELECT id FROM requests)))
            GROUP BY k ORDER BY k""",
        ("BlockExchange", *_RUNS),
        {"spark.slidewise.parallel.minRows": "100", "spark.sql.adaptive.coalescePartitions.enabled": "false"},
    ),
}
