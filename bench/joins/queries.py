"""The SQL of each way to join labels with events. `{labels}` and `{events}` stand for the tables."""

from __future__ import annotations

from collections.abc import Sequence

SUM_COUNT_MAX = "sum(e.x) AS s, count(*) AS n, max(e.x) AS m"
OUTPUT = ("s", "n", "m")
MICROSECOND = "INTERVAL '0.000001' SECOND"


def within(interval: str) -> str:
    return f"e.k = l.k AND e.ts >= l.ts - INTERVAL {interval} AND e.ts < l.ts"


def lateral(*intervals: str) -> str:
    """The aggregates of the events of each interval before a label's time."""
    joins = "\n".join(
        f"LEFT JOIN LATERAL (SELECT {SUM_COUNT_MAX} FROM {{events}} e WHERE {within(interval)}) f{at}"
        for at, interval in enumerate(intervals)
    )
    columns = ", ".join(f"f{at}.{name} AS {name}{at or ''}" for at in range(len(intervals)) for name in OUTPUT)
    return f"SELECT l.id, {columns} FROM {{labels}} l\n{joins}"


def scalars(interval: str) -> str:
    calls = {"s": "sum(e.x)", "n": "count(*)", "m": "max(e.x)"}
    columns = ", ".join(
        f"(SELECT {call} FROM {{events}} e WHERE {within(interval)}) AS {name}" for name, call in calls.items()
    )
    return f"SELECT l.id, {columns} FROM {{labels}} l"


def grouped(interval: str) -> str:
    return f"""SELECT l.id, sum(e.x) AS s, count(e.x) AS n, max(e.x) AS m
FROM {{labels}} l LEFT JOIN {{events}} e ON {within(interval)}
GROUP BY l.id, l.k, l.ts"""


def _window(days: int) -> str:
    frame = f"RANGE BETWEEN INTERVAL '{days * 86400}' SECOND PRECEDING AND {MICROSECOND} PRECEDING"
    return f"WINDOW w AS (PARTITION BY k ORDER BY ts {frame})"


def union(days: int) -> str:
    """The rewrite without a join: labels among the events."""
    return f"""SELECT id, s, n, m FROM (
  SELECT id, sum(x) OVER w AS s, count(x) OVER w AS n, max(x) OVER w AS m
  FROM (SELECT id, k, ts, CAST(NULL AS INT) AS x FROM {{labels}} UNION ALL SELECT NULL, k, ts, x FROM {{events}})
  {_window(days)}) WHERE id IS NOT NULL"""


def over(days: int) -> str:
    """The same window over the events alone."""
    return f"SELECT k, ts, sum(x) OVER w AS s, count(x) OVER w AS n, max(x) OVER w AS m FROM {{events}} {_window(days)}"


def by_date() -> str:
    """The aggregates of the day before a label's date, by the column that partitions the events."""
    return f"""SELECT l.id, f.* FROM {{labels}} l LEFT JOIN LATERAL (
  SELECT {SUM_COUNT_MAX} FROM {{events}} e
  WHERE e.k = l.k AND e.day >= l.day - INTERVAL 1 DAY AND e.day < l.day) f"""


def rows_of_day(first: str, last: str) -> str:
    """The events of the dates from the first to the last one."""
    return f"SELECT k, day, x FROM {{events}} WHERE day BETWEEN DATE'{first}' AND DATE'{last}'"


def rows_between(first: str, last: str) -> str:
    return f"SELECT k, ts, x FROM {{events}} WHERE ts >= TIMESTAMP'{first}' AND ts < TIMESTAMP'{last}'"


def _conditions(keys: Sequence[str], alias: str = "e") -> str:
    return " AND ".join(f"{alias}.{key} = l.{key}" for key in keys)


def newest(keys: Sequence[str]) -> str:
    """The newest event at or before a label's time, by LATERAL."""
    conditions = " AND ".join([*([_conditions(keys)] if keys else []), "e.ts <= l.ts"])
    return f"""SELECT l.id, f.x AS s FROM {{labels}} l LEFT JOIN LATERAL (
  SELECT e.x FROM {{events}} e WHERE {conditions} ORDER BY e.ts DESC LIMIT 1) f"""


def asof_spark(keys: Sequence[str]) -> str:
    """The same by the join of Spark 4.3."""
    on = f" ON {_conditions(keys)}" if keys else ""
    return f"SELECT l.id, e.x AS s FROM {{labels}} l LEFT ASOF JOIN {{events}} e MATCH_CONDITION (l.ts >= e.ts){on}"


def asof_duckdb(keys: Sequence[str]) -> str:
    conditions = " AND ".join([*([_conditions(keys)] if keys else []), "l.ts >= e.ts"])
    return f"SELECT l.id, e.x AS s FROM {{labels}} l ASOF LEFT JOIN {{events}} e ON {conditions}"


def checksum(sql: str, columns: Sequence[str]) -> str:
    """A query with one row: the number of rows, and sums that notice a value in another row."""
    sums = ", ".join(f"count({c}), sum({c}), sum({c} * (id % 1009))" for c in columns)
    return f"SELECT count(*), {sums} FROM ({sql}) AS answers"
