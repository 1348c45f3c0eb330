"""Windows that one task evaluates in Spark: without PARTITION BY, and with a key that most rows have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Query:
    """`call` is a window function, its window included."""

    name: str
    call: str
    skewed: bool = False
    """Whether the window has partition keys, of which one has nine of ten rows."""
    expected: bool = False
    """Whether tasks share the rows of each key from the start, and not once the shuffle is written."""

    def over(self, source: str) -> str:
        return f"SELECT ts, k, x, {self.call} AS answer FROM {source}"

    def checksum(self, source: str) -> str:
        """A query with one row: the number of answers, their sum, and a sum that notices an answer in another row."""
        sums = "count(answer), sum(answer), sum(answer * (unix_micros(ts) % 1009))"
        return f"SELECT {sums} FROM ({self.over(source)})"


def rows_before(rows: int) -> str:
    return f"sum(x) OVER (ORDER BY ts ROWS {rows} PRECEDING)"


ROWS = Query("ROWS 999 PRECEDING", rows_before(999))
RANGE = Query("RANGE 999 SECONDS PRECEDING", "sum(x) OVER (ORDER BY ts RANGE INTERVAL 999 SECONDS PRECEDING)")
RUNNING = Query("running sum", "sum(x) OVER (ORDER BY ts)")
ROW_NUMBER = Query("row_number", "row_number() OVER (ORDER BY ts)")
BY_KEY = "sum(x) OVER (PARTITION BY k ORDER BY ts ROWS 999 PRECEDING)"
DETECTED = Query("ROWS 999 PRECEDING by a skewed key", BY_KEY, skewed=True)
EXPECTED = Query("ROWS 999 PRECEDING by a skewed key, expected", BY_KEY, skewed=True, expected=True)
QUERIES = [ROWS, RANGE, RUNNING, ROW_NUMBER, DETECTED, EXPECTED]
LARGE = Query("ROWS 999999 PRECEDING", rows_before(999_999))
