"""The queries that meet a fault: one for each way in which Slidewise moves and keeps rows."""

from __future__ import annotations

SLIDEWISE = ("SlidingWindow", "HoppingWindow", "WindowTopRows")


def summed(query: str) -> str:
    return f"SELECT count(*) AS rows, sum(hash(*)) AS hashes FROM ({query})"


def windows(rows: int) -> dict[str, str]:
    table = f"""(SELECT id, id % 50 AS k, id * 48271 % 1000003 AS t, concat('row ', id % 1009) AS s
        FROM range(0, {rows}, 1, 6))"""

    def moving(call: str, frame: str, partition: str = "PARTITION BY k ") -> str:
        return f"SELECT id, {call} OVER ({partition}ORDER BY t, id {frame}) AS a FROM {table}"

    return {
        "moving, in arrays": moving("sum(t)", "ROWS 99 PRECEDING"),
        "moving, row by row": moving("max_by(s, t)", "ROWS 99 PRECEDING"),
        "running": moving("sum(t)", "ROWS UNBOUNDED PRECEDING"),
        "median": moving("percentile(t, 0.5)", "ROWS 99 PRECEDING"),
        "without keys": moving("sum(t)", "ROWS 99 PRECEDING", partition=""),
        "top rows": f"""SELECT id, k, a FROM (
            SELECT id, k, row_number() OVER (PARTITION BY k ORDER BY t, id) AS a FROM {table}) WHERE a <= 20""",
        "hopping": f"""SELECT window.start, k, count(*), max(s)
            FROM (SELECT *, timestamp_seconds(t) AS ts FROM {table})
            GROUP BY window(ts, '1 hour', '5 minutes'), k""",
    }


WINDOWS = windows(rows=200_000)
SUMMED = {name: summed(query) for name, query in WINDOWS.items()}
