"""The queries that meet a fault: one for each way in which Slidewise moves and keeps rows."""

from __future__ import annotations

ROWS = 200_000
TABLE = f"""(SELECT id, id % 50 AS k, id * 48271 % 1000003 AS t, concat('row ', id % 1009) AS s
    FROM range(0, {ROWS}, 1, 6))"""


def _moving(call: str, frame: str, partition: str = "PARTITION BY k ") -> str:
    return f"SELECT id, {call} OVER ({partition}ORDER BY t, id {frame}) AS a FROM {TABLE}"


def _summed(query: str) -> str:
    return f"SELECT count(*) AS rows, sum(hash(*)) AS hashes FROM ({query})"


WINDOWS = {
    "moving, in arrays": _moving("sum(t)", "ROWS 99 PRECEDING"),
    "moving, row by row": _moving("max_by(s, t)", "ROWS 99 PRECEDING"),
    "running": _moving("sum(t)", "ROWS UNBOUNDED PRECEDING"),
    "median": _moving("percentile(t, 0.5)", "ROWS 99 PRECEDING"),
    "without keys": _moving("sum(t)", "ROWS 99 PRECEDING", partition=""),
    "top rows": f"""SELECT id, k, a FROM (
        SELECT id, k, row_number() OVER (PARTITION BY k ORDER BY t, id) AS a FROM {TABLE}) WHERE a <= 20""",
    "hopping": f"""SELECT window.start, k, count(*), max(s)
        FROM (SELECT *, timestamp_seconds(t) AS ts FROM {TABLE})
        GROUP BY window(ts, '1 hour', '5 minutes'), k""",
}
SUMMED = {name: _summed(query) for name, query in WINDOWS.items()}
