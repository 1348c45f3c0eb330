"""A query for each operator of Slidewise, over tables of a few thousand rows."""

from __future__ import annotations

from dataclasses import dataclass, field

EVENTS = """(SELECT id, id % 5 AS k, if(id % 10 < 9, 0, id % 7) AS hot, id * 48271 % 10007 AS t,
    concat('row ', id % 101) AS s, timestamp_seconds(id * 48271 % 10007) AS ts FROM range(0, 4000, 1, 4))"""
LEFT = f"(SELECT id, k, hot, t FROM {EVENTS} WHERE id % 3 = 0)"

_LAST = "OVER (PARTITION BY k ORDER BY t, id ROWS 99 PRECEDING)"
_HOT = "OVER (PARTITION BY hot ORDER BY t, id ROWS UNBOUNDED PRECEDING)"
_NEAR = "e.t > l.t - 500 AND e.t <= l.t"
_SHARING = {"spark.slidewise.parallel.minRows": "200"}
_SKEWED = _SHARING | {"spark.slidewise.parallel.skewedKeys": "expected"}


@dataclass(frozen=True)
class Query:
    sql: str
    operators: tuple[str, ...]
    """What the plan must show."""
    settings: dict[str, str] = field(default_factory=dict)
    in_spark: str | None = None
    """The same question for Spark alone, if its own answer to `sql` depends on the order in which blocks arrive."""

    def is_taken(self, plan: str) -> bool:
        return all(f"{operator} " in plan for operator in self.operators)


_JOINED = f"""SELECT l.id, f.* FROM {LEFT} l LEFT JOIN LATERAL (
    SELECT sum(e.t) AS a, max_by(e.s, e.id) AS b FROM {EVENTS} e WHERE e.hot = l.hot AND {_NEAR}) f ON true"""
_AS_OF = f"SELECT l.id, (SELECT {{}} FROM {EVENTS} e WHERE e.hot = l.hot AND {_NEAR}{{}}) AS a FROM {LEFT} l"
_RUNS, _BLOCKS = ("RunsExchange", "SlidingWindow"), ("BlockExchange", "SlidingWindow")

QUERIES = {
    "window": Query(f"SELECT id, sum(t) {_LAST} AS a, avg(t) {_LAST} AS b FROM {EVENTS}", _BLOCKS),
    "row by row": Query(f"SELECT id, max_by(s, t) {_LAST} AS a, collect_set(hot) {_LAST} AS b FROM {EVENTS}", _BLOCKS),
    "no keys": Query(
        f"""SELECT id, sum(t) OVER (ORDER BY t, id ROWS 99 PRECEDING) AS a, max_by(s, t) OVER (ORDER BY t, id) AS b
            FROM {EVENTS}""",
        _RUNS,
        _SHARING,
    ),
    "nothing above": Query("SELECT id, sum(id) OVER (ORDER BY id) AS a FROM range(0, 4000, 1, 4)", _RUNS, _SHARING),
    "whole table": Query(f"SELECT id, sum(t) OVER () AS a, max_by(s, t) OVER () AS b FROM {EVENTS}", _RUNS, _SHARING),
    "skewed keys": Query(f"SELECT id, sum(t) {_HOT} AS a, max_by(s, t) {_HOT} AS b FROM {EVENTS}", _RUNS, _SKEWED),
    "top rows": Query(
        f"SELECT * FROM (SELECT id, rank() OVER (PARTITION BY k ORDER BY t, id) AS a FROM {EVENTS}) WHERE a <= 20",
        ("WindowTopRows", *_BLOCKS),
    ),
    "hopping": Query(
        f"""SELECT window.start AS id, k, count(*) AS a, max(s) AS b FROM {EVENTS}
            GROUP BY window(ts, '1 hour', '5 minutes'), k""",
        ("HoppingWindow",),
    ),
    "window join": Query(_JOINED, ("BlockExchange", "WindowJoin"), {"spark.slidewise.windowJoins.filterRatio": "0"}),
    "shared window join": Query(_JOINED, ("RunsExchange", "WindowJoin"), _SKEWED),
    "as-of join": Query(
        _AS_OF.format("e.s", " ORDER BY e.t DESC LIMIT 1"),
        ("AsOfJoin",),
        in_spark=_AS_OF.format("max_by(e.s, e.t)", ""),
    ),
}
