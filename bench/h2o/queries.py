"""The questions of DataFusion's h2o window benchmark, in SQL that all engines understand."""

from __future__ import annotations

from dataclasses import dataclass

from shared.spark import SLIDING_WINDOW, TOP_ROWS

_CHECKED = 20_000
"""Rows to compare the answers on, where a frame grows with the table and Spark reads each frame anew."""


@dataclass(frozen=True)
class Query:
    """`{large}` stands for the table in the SQL. `answers` are the columns to compare, and `place` tells rows apart."""

    name: str
    sql: str
    answers: tuple[str, ...]
    place: str = "id3"
    checked: int | None = None
    """Rows to compare the answers on, if not on all."""
    operator: str = SLIDING_WINDOW
    """The operator of Slidewise that runs it."""

    def over(self, large: str) -> str:
        return self.sql.format(large=large)

    def checksum(self, large: str) -> str:
        """A query with one row: the number of answers, their sum, and a sum that notices an answer in another row."""
        doubles = ((a, f"CAST({a} AS double)") for a in self.answers)
        sums = ", ".join(f"count({a}), sum({d}), sum({d} * ({self.place} % 1009))" for a, d in doubles)
        return f"SELECT count(*), {sums} FROM ({self.over(large)}) AS answers"


def _windows(name: str, *calls: str, checked: int | None = None) -> Query:
    answers = tuple(f"a{i}" for i in range(1, len(calls) + 1))
    columns = ", ".join(f"{call} AS {answer}" for call, answer in zip(calls, answers, strict=True))
    return Query(name, f"SELECT id1, id2, id3, v2, {columns} FROM {{large}}", answers, checked=checked)


def _top(key: str, name: str) -> Query:
    place = f"row_number() OVER (PARTITION BY {key} ORDER BY v2 DESC)"
    ranked = f"SELECT {key} AS k, v2, {place} AS place FROM {{large}} WHERE v2 IS NOT NULL"
    sql = f"SELECT k, v2 AS largest FROM ({ranked}) AS ranked WHERE place <= 2"
    return Query(name, sql, ("largest",), place="k", operator=TOP_ROWS)


def _moving(partition: str, words: str, first: int) -> list[Query]:
    """Neighbours, a moving mean, a running sum and a range, over the whole table or by a key."""
    ordered = f"{partition}ORDER BY id3"
    back, ahead = (f"ROWS BETWEEN 1 {to} AND 1 {to}" for to in ("PRECEDING", "FOLLOWING"))
    near = "RANGE BETWEEN 3 PRECEDING AND CURRENT ROW"
    so_far = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    return [
        _windows(
            f"{first}: previous and next value{words}",
            f"first_value(v2) OVER ({ordered} {back})",
            f"first_value(v2) OVER ({ordered} {ahead})",
        ),
        _windows(
            f"{first + 1}: mean of 101 rows{words}",
            f"avg(v2) OVER ({ordered} ROWS BETWEEN 100 PRECEDING AND CURRENT ROW)",
        ),
        _windows(f"{first + 2}: running sum{words}", f"sum(v2) OVER ({ordered} {so_far})"),
        _windows(
            f"{first + 3}: sum of values up to 3 less{words}",
            f"sum(v2) OVER ({partition}ORDER BY v2 {near})",
            checked=None if partition else _CHECKED,
        ),
    ]


def _summed(queries: list[Query]) -> list[Query]:
    """The queries with an aggregation above them, which reads two of their columns; not part of the h2o benchmark."""
    return [
        Query(
            f"{query.name}, summed",
            f"SELECT id2 AS k, sum(a1) AS total FROM ({query.sql}) AS answers GROUP BY id2",
            ("total",),
            place="k",
        )
        for query in queries
    ]


def _eight_keys() -> list[Query]:
    """What most queries with windows ask, over few keys; not part of the h2o benchmark."""
    ordered = "PARTITION BY id1 % 8 ORDER BY id3"
    calls = {
        "row number": f"row_number() OVER ({ordered})",
        "rank": f"rank() OVER ({ordered})",
        "previous value": f"lag(v2) OVER ({ordered})",
        "running sum": f"sum(v2) OVER ({ordered} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    }
    newest = f"SELECT id1 % 8 AS k, v2, row_number() OVER ({ordered} DESC) AS place FROM {{large}}"
    return [
        *(_windows(f"{name}, 8 keys", call) for name, call in calls.items()),
        _windows("previous value, rank and running sum, 8 keys", *list(calls.values())[1:]),
        Query(
            "newest row of 8 keys",
            f"SELECT k, v2 AS newest FROM ({newest}) AS ranked WHERE place = 1",
            ("newest",),
            place="k",
            operator=TOP_ROWS,
        ),
        _windows("mean of 8 keys", "avg(v2) OVER (PARTITION BY id1 % 8)"),
    ]


_BY_KEY = [
    _windows("4: first value by key", "first_value(v2) OVER (PARTITION BY id2 ORDER BY id3)"),
    *_moving("PARTITION BY id2 ", " by key", 9),
]

QUERIES = [
    _windows("1: sum of all rows", "sum(v2) OVER ()"),
    _windows(
        "2: first value and row number", "first_value(v2) OVER (ORDER BY id3)", "row_number() OVER (ORDER BY id3)"
    ),
    _windows("3: sums by three keys", *(f"sum(v2) OVER (PARTITION BY {key})" for key in ("id1", "id2", "id3"))),
    _BY_KEY[0],
    *_moving("", "", 5),
    *_BY_KEY[1:],
    *_summed(_BY_KEY),
    _top("id2", "top 2 of 10,000 keys"),
    *(_top(f"id3 % {keys}", f"top 2 of {keys:,} computed keys") for keys in (100, 1_000, 10_000, 100_000)),
    *_eight_keys(),
]
