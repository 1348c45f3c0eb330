"""Situations of windows over another table, each with the answer by definition.

They are those that the tests of other engines have: DuckDB's and QuestDB's as-of joins, QuestDB's WINDOW JOIN,
Chronon's features of events.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from plans import metric, plan
from pyspark.sql import SparkSession
from session import settings

INF, NAN = float("inf"), float("nan")


@dataclass(frozen=True)
class Situation:
    """Left rows are (id, k, t), right rows (k, t, v). `windows` maps the condition on times of each question to its
    answers by `id`: an as-of question begins with `newest` or `oldest`, others with a function or are sums. A tuple
    has the answers of which any may come."""

    left: list[tuple[Any, ...]]
    right: list[tuple[Any, ...]]
    windows: dict[str, dict[int, Any]]
    time: str = "int"
    key: str = "string"
    on: str = "e.k = l.k"
    zone: str = "UTC"
    key_of_right: str | None = None
    in_arrays: bool = False
    """Whether the arrays have to take the rows."""


SITUATIONS = {
    "ties of the newest time are one row, and all of them count in a sum": Situation(
        [(1, "a", 5), (2, "a", 4)],
        [("a", 5, 2), ("a", 5, 2), ("a", 3, 7), ("a", 3, 1)],
        {
            "newest e.t <= l.t": {1: 2, 2: (1, 7)},
            "newest e.t < l.t": {1: (1, 7), 2: (1, 7)},
            "e.t <= l.t": {1: 12, 2: 8},
            "e.t BETWEEN l.t AND l.t": {1: 4, 2: None},
        },
    ),
    "null keys and null times match nothing, and stay on the left": Situation(
        [(1, None, 5), (2, "a", None), (3, "a", 5), (4, None, None)],
        [(None, 3, 1), ("a", None, 2), ("a", 3, 4)],
        {
            "newest e.t <= l.t": {1: None, 2: None, 3: 4, 4: None},
            "e.t <= l.t": {1: None, 2: None, 3: 4, 4: None},
            "oldest e.t >= l.t - 9": {1: None, 2: None, 3: 4, 4: None},
        },
    ),
    "null-safe keys match, null times do not": Situation(
        [(1, None, 5), (2, None, None), (3, "", 5)],
        [(None, 3, 1), (None, None, 2), ("", 4, 8)],
        {"newest e.t <= l.t": {1: 1, 2: None, 3: 8}, "e.t < l.t": {1: 1, 2: None, 3: 8}},
        on="e.k <=> l.k",
    ),
    "each end is inside or outside": Situation(
        [(1, "a", 10)],
        [("a", 5, 1), ("a", 6, 10), ("a", 10, 100), ("a", 11, 1000)],
        {
            "e.t >= l.t - 5 AND e.t < l.t": {1: 11},
            "e.t > l.t - 5 AND e.t <= l.t": {1: 110},
            "e.t > l.t - 5 AND e.t < l.t": {1: 10},
            "e.t BETWEEN l.t - 5 AND l.t + 1": {1: 1111},
            "newest e.t >= l.t - 4 AND e.t < l.t": {1: 10},
            "newest e.t > l.t - 4 AND e.t < l.t": {1: None},
            "oldest e.t > l.t AND e.t <= l.t + 1": {1: 1000},
            "oldest e.t > l.t AND e.t < l.t + 1": {1: None},
        },
    ),
    "both ends before the row, both after it, and crossed": Situation(
        [(1, "a", 10), (2, "a", 0)],
        [("a", 1, 1), ("a", 3, 2), ("a", 17, 4), ("a", 25, 8)],
        {
            "e.t BETWEEN l.t - 9 AND l.t - 5": {1: 3, 2: None},
            "e.t BETWEEN l.t + 5 AND l.t + 20": {1: 12, 2: 4},
            "e.t BETWEEN l.t + 5 AND l.t - 5": {1: None, 2: None},
            "e.t > l.t AND e.t < l.t": {1: None, 2: None},
            "newest e.t BETWEEN l.t + 5 AND l.t - 5": {1: None, 2: None},
        },
    ),
    "no rows on the right": Situation([(1, "a", 1)], [], {"newest e.t <= l.t": {1: None}, "e.t <= l.t": {1: None}}),
    "no rows on the left": Situation([], [("a", 1, 1)], {"newest e.t <= l.t": {}, "e.t <= l.t": {}}),
    "keys of one side only": Situation(
        [(1, "a", 9), (2, "b", 9), (3, "d", 9)],
        [("b", 1, 1), ("c", 1, 2)],
        {"newest e.t <= l.t": {1: None, 2: 1, 3: None}, "e.t < l.t": {1: None, 2: 1, 3: None}},
    ),
    "all rows are later than the row, or earlier": Situation(
        [(1, "a", 5)],
        [("a", 6, 1), ("a", 9, 2)],
        {"newest e.t <= l.t": {1: None}, "oldest e.t >= l.t": {1: 1}, "e.t < l.t": {1: None}, "e.t > l.t": {1: 3}},
    ),
    "labels that repeat, out of order, and later than all events": Situation(
        [(1, "a", 9), (2, "a", 3), (3, "a", 9), (4, "a", 100), (5, "a", 3)],
        [("a", 2, 1), ("a", 8, 2)],
        {
            "e.t >= l.t - 7 AND e.t < l.t": {1: 3, 2: 1, 3: 3, 4: None, 5: 1},
            "newest e.t < l.t": {1: 2, 2: 1, 3: 2, 4: 2, 5: 1},
        },
    ),
    "values that are null": Situation(
        [(1, "a", 5), (2, "a", 1)],
        [("a", 4, None), ("a", 2, 7), ("a", 0, None)],
        {"newest e.t <= l.t": {1: None, 2: None}, "e.t <= l.t": {1: 7, 2: None}, "e.t > l.t - 2": {1: None, 2: 7}},
    ),
    "two keys, of which one is null-safe": Situation(
        [(1, ("a", 1), 5), (2, ("a", None), 5), (3, (None, 1), 5)],
        [(("a", 1), 1, 1), (("a", None), 1, 2), ((None, 1), 1, 4), (("a", 2), 1, 8)],
        {"newest e.t <= l.t": {1: 1, 2: 2, 3: None}, "e.t <= l.t": {1: 1, 2: 2, 3: None}},
        key="struct<p: string, q: int>",
        on="e.k.p = l.k.p AND e.k.q <=> l.k.q",
    ),
    "structs and arrays as keys": Situation(
        [(1, (["a"], 1), 5), (2, (["a", None], None), 5), (3, ([], 1), 5)],
        [((["a"], 1), 1, 1), ((["a", None], None), 1, 2), ((["a"], 2), 1, 4)],
        {"newest e.t <= l.t": {1: 1, 2: 2, 3: None}, "e.t <= l.t": {1: 1, 2: 2, 3: None}},
        key="struct<p: array<string>, q: int>",
    ),
    "no keys": Situation(
        [(1, "a", 1), (2, "b", 7), (3, None, 9)],
        [("x", 1, 1), (None, 7, 2)],
        {"newest e.t <= l.t": {1: 1, 2: 2, 3: 2}, "e.t < l.t": {1: None, 2: 1, 3: 3}},
        on="true",
    ),
    "infinite times and NaN, which is the greatest": Situation(
        [(1, "a", INF), (2, "a", -INF), (3, "a", NAN), (4, "a", 0.0)],
        [("a", -INF, 1), ("a", -0.0, 2), ("a", INF, 4), ("a", NAN, 8)],
        {
            "newest e.t <= l.t": {1: 4, 2: 1, 3: 8, 4: 2},
            "newest e.t < l.t": {1: 2, 2: None, 3: 4, 4: 1},
            "oldest e.t >= l.t": {1: 4, 2: 1, 3: 8, 4: 2},
            "e.t <= l.t": {1: 7, 2: 1, 3: 15, 4: 3},
            "e.t >= l.t - 1 AND e.t < l.t": {1: None, 2: None, 3: None, 4: None},
            "e.t > l.t": {1: 8, 2: 14, 3: None, 4: 12},
        },
        time="double",
    ),
    "the ends of a type": Situation(
        [(1, "a", 2**63 - 1), (2, "a", -(2**63))],
        [("a", 2**63 - 1, 1), ("a", -(2**63), 2), ("a", 0, 4)],
        {
            "newest e.t <= l.t": {1: 1, 2: 2},
            "e.t < l.t": {1: 6, 2: None},
            "e.t >= l.t": {1: 1, 2: 7},
        },
        time="bigint",
    ),
    "before 1970": Situation(
        [(1, "a", "1970-01-01 00:00:00"), (2, "a", "1900-03-01 12:00:00")],
        [("a", "1969-12-31 23:59:59.999999", 1), ("a", "1970-01-01 00:00:00", 2), ("a", "1900-03-01 11:59:59", 4)],
        {
            "newest e.t < l.t": {1: 1, 2: 4},
            "newest e.t <= l.t": {1: 2, 2: 4},
            "e.t >= l.t - INTERVAL 1 SECOND AND e.t < l.t": {1: 1, 2: 4},
        },
        time="timestamp",
    ),
    "a leap day, and months that end earlier": Situation(
        [(1, "a", "2024-03-29"), (2, "a", "2024-03-31"), (3, "a", "2025-02-28"), (4, "a", "2024-03-01")],
        [("a", "2024-02-28", 1), ("a", "2024-02-29", 2), ("a", "2024-03-01", 4)],
        {
            "e.t >= l.t - INTERVAL 1 MONTH AND e.t < l.t": {1: 6, 2: 6, 3: None, 4: 3},
            "e.t >= l.t - INTERVAL 1 YEAR AND e.t < l.t": {1: 7, 2: 7, 3: 7, 4: 3},
            "e.t >= l.t - INTERVAL 1 DAY AND e.t < l.t": {1: None, 2: None, 3: None, 4: 2},
        },
        time="date",
    ),
    "a day of 23 hours and a day of 25": Situation(
        [(1, "a", "2024-03-10 12:00:00"), (2, "a", "2024-11-03 12:00:00")],
        [("a", "2024-03-09 12:30:00", 1), ("a", "2024-03-09 11:30:00", 2), ("a", "2024-11-02 12:30:00", 4)],
        {
            "e.t >= l.t - INTERVAL 1 DAY AND e.t < l.t": {1: 1, 2: 4},
            "e.t >= l.t - INTERVAL 1439 MINUTES AND e.t < l.t": {1: 3, 2: None},
            "newest e.t >= l.t - INTERVAL 1439 MINUTES AND e.t < l.t": {1: 1, 2: None},
        },
        time="timestamp",
        zone="America/New_York",
    ),
    "times that are strings": Situation(
        [(1, "a", "b"), (2, "a", "é")],
        [("a", "", 1), ("a", "B", 2), ("a", "b", 4), ("a", "😀", 8)],
        {"newest e.t <= l.t": {1: 4, 2: 4}, "e.t < l.t": {1: 3, 2: 7}, "oldest e.t > l.t": {1: 8, 2: 8}},
        time="string",
    ),
    "a filter of right rows": Situation(
        [(1, "a", 5)],
        [("a", 4, 1), ("a", 3, 6), ("a", 2, 7)],
        {"newest e.t <= l.t AND e.v > 5": {1: 6}, "e.t <= l.t AND e.v > 5": {1: 13}},
    ),
    "bounds in columns, of which one is null in the middle": Situation(
        [(1, ("a", 4), 1), (2, ("a", None), 2), (3, ("a", 9), 3), (4, ("a", None), 4), (5, ("a", 9), 5), (6, None, 6)],
        [("a", t, 1) for t in range(12)],
        {
            "e.t >= l.t AND e.t < l.k.q": {1: 3, 2: None, 3: 6, 4: None, 5: 4, 6: None},
            "newest e.t BETWEEN l.t - 9 AND l.k.q": {1: 1, 2: None, 3: 1, 4: None, 5: 1, 6: None},
            "count e.t >= l.t AND e.t < l.k.q": {1: 3, 2: 0, 3: 6, 4: 0, 5: 4, 6: 0},
            "median e.t >= l.t AND e.t < l.k.q": {1: 1.0, 2: None, 3: 1.0, 4: None, 5: 1.0, 6: None},
        },
        key="struct<p: string, q: int>",
        on="e.k = l.k.p",
        key_of_right="string",
        in_arrays=True,
    ),
}


@pytest.mark.parametrize("what", SITUATIONS)
def test_situation(spark: SparkSession, what: str) -> None:
    situation = SITUATIONS[what]
    with settings(spark, {"spark.sql.session.timeZone": situation.zone, "spark.sql.adaptive.enabled": "false"}):
        create_views(spark, situation)
        asked = {f"a{n}": condition for n, condition in enumerate(situation.windows)}
        sql = f"SELECT l.id{''.join(f', {subquery(situation, c)} AS {a}' for a, c in asked.items())} FROM l"
        found = spark.sql(sql)
        rows = {row[0]: row[1:] for row in found.collect()}
        joins = re.findall(r"\w*(?:Join|Product)\b", plan(found))
        assert set(joins) in ({"WindowJoin"}, {"AsOfJoin"}), plan(found)
        if situation.in_arrays:
            assert metric(found, "fallbacks", "WindowJoin") == 0
        for at, condition in enumerate(situation.windows.values()):
            for number, expected in condition.items():
                allowed = expected if isinstance(expected, tuple) else (expected,)
                assert rows[number][at] in allowed, (sql, number)
        assert len(rows) == len(situation.left)


def subquery(situation: Situation, condition: str) -> str:
    way, _, rest = condition.partition(" ")
    if way.startswith("e."):
        way, rest = "sum", condition
    if way not in ("newest", "oldest"):
        return f"(SELECT {way}(e.v) FROM e WHERE {situation.on} AND {rest})"
    order = f"ORDER BY e.t{' DESC' if way == 'newest' else ''} LIMIT 1"
    return f"(SELECT e.v FROM e WHERE {situation.on} AND {rest} {order})"


def create_views(spark: SparkSession, situation: Situation) -> None:
    kind = "string" if situation.time in ("timestamp", "date") else situation.time
    for name, rows, ddl in (
        ("l", situation.left, f"id int, k {situation.key}, t {kind}"),
        ("e", situation.right, f"k {situation.key_of_right or situation.key}, t {kind}, v int"),
    ):
        frame = spark.createDataFrame(rows, ddl)
        frame.withColumn("t", frame.t.cast(situation.time)).createOrReplaceTempView(name)
