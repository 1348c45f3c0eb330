"""The queries whose stored results are refreshed, and the changes."""

from __future__ import annotations

from dataclasses import dataclass

DAYS = 730
LATE_ROWS = 100


@dataclass(frozen=True)
class Case:
    """A stored query, and a change of its table: a WHERE of the rows that are new."""

    name: str
    words: str
    query: str
    new: str
    """The condition on the rows of the table that the stored result does not know."""

    quiet_keys: bool = False
    """Whether most keys have no new rows."""


_MONTH = "PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL {days} DAYS PRECEDING AND CURRENT ROW"


def _trailing(days: int) -> str:
    over = _MONTH.format(days=days)
    return f"SELECT id, k, ts, day, sum(x) OVER ({over}) AS total, max(x) OVER ({over}) AS most FROM events"


# The last day's rows, or some rows of the last 30 days: see data.py.
APPENDED, LATE = "is_new", "is_late"

CASES = (
    Case(
        "one day, frames of 30 days",
        "one day is appended, frames of 30 days",
        _trailing(30),
        APPENDED,
    ),
    Case(
        "one day, frames of 1 day",
        "one day is appended, frames of a day",
        _trailing(1),
        APPENDED,
    ),
    Case(
        "late rows",
        f"{LATE_ROWS} rows that are up to 30 days late, frames of 30 days",
        _trailing(30),
        LATE,
    ),
    Case(
        "1,000 rows",
        "one day of one key in 50 is appended, frames of 1,000 rows",
        "SELECT id, k, ts, day, sum(x) OVER (PARTITION BY k ORDER BY ts, id ROWS 999 PRECEDING) AS total FROM events",
        APPENDED,
        quiet_keys=True,
    ),
    Case(
        "ranks",
        "one day of one key in 50 is appended, ranks",
        "SELECT id, k, ts, day, rank() OVER (PARTITION BY k ORDER BY x, id) AS place FROM events",
        APPENDED,
        quiet_keys=True,
    ),
)
