"""Runs a few windows with Slidewise on and off, and compares the answers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slidewise._doctor._findings import Finding
from slidewise._explain import explain
from slidewise._install import is_connect
from slidewise._messages import message_of
from slidewise._switch import SWITCH, switched
from slidewise._versions import is_since

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SECONDS = 10.0


@dataclass(frozen=True)
class _Query:
    name: str
    sql: str


_QUERIES = (
    _Query(
        "a moving frame",
        """SELECT id, sum(id * 31 % 997) OVER w AS s, max_by(id, id * 31 % 997) OVER w AS m FROM range(0, 4000, 1, 2)
           WINDOW w AS (PARTITION BY id % 7 ORDER BY id ROWS BETWEEN 99 PRECEDING AND CURRENT ROW)""",
    ),
    _Query(
        "a rank",
        """SELECT id, rank() OVER (PARTITION BY id % 7 ORDER BY id * 31 % 997) AS r FROM range(0, 4000, 1, 2)""",
    ),
    _Query(
        "a hopping window",
        """SELECT k, unix_seconds(w.start) AS start, count(*) AS n, sum(id) AS s
           FROM (SELECT id % 3 AS k, window(timestamp_seconds(id * 17), '10 minutes', '1 minute') AS w, id
                 FROM range(0, 2000, 1, 2))
           GROUP BY k, w""",
    ),
)


def run(spark: SparkSession) -> list[Finding]:
    """A finding for each query that differs, fails, or ran without Slidewise; one for the others."""
    began = time.monotonic()
    found: list[Finding] = []
    same: list[str] = []
    for at, query in enumerate(_QUERIES):
        if time.monotonic() - began > _SECONDS:
            left = ", ".join(query.name for query in _QUERIES[at:])
            found.append(
                Finding(
                    "note",
                    "self-test",
                    f"not run, since {_SECONDS:.0f} seconds have passed: {left}",
                    "Run slidewise.doctor again, when the session has warmed up",
                )
            )
            break
        finding = _check(spark, query)
        if finding is None:
            same.append(query.name)
        else:
            found.append(finding)
    if same and not _explains(spark):
        found.append(
            Finding(
                "note",
                "self-test",
                f"Spark {spark.version} does not tell over Spark Connect whether Slidewise evaluated them",
                "EXPLAIN of a query shows SlidingWindow where Slidewise evaluates a window",
            )
        )
    if same:
        took = time.monotonic() - began
        found.insert(
            0,
            Finding("ok", "self-test", f"the same answers with Slidewise on and off: {', '.join(same)} ({took:.1f} s)"),
        )
    return found


def _check(spark: SparkSession, query: _Query) -> Finding | None:
    try:
        with switched(spark, on=True):
            windows = spark.sql(query.sql)
            reasons = _left_to_spark(windows) if _explains(spark) else []
            on = _answer(windows)
    except Exception as error:
        return Finding(
            "problem",
            "self-test",
            f"{query.name} fails with Slidewise on: {message_of(error)}",
            f"SET {SWITCH} = false leaves windows to Spark. Report the error with the versions above",
        )
    try:
        with switched(spark, on=False):
            off = _answer(spark.sql(query.sql))
    except Exception as error:
        return Finding(
            "warning",
            "self-test",
            f"{query.name} fails with Slidewise off: {message_of(error)}",
            "Correct Spark's own set-up first",
        )
    if on != off:
        row = next(f"{a} and {b}" for a, b in zip([*on, None], [*off, None]) if a != b)
        return Finding(
            "problem",
            "self-test",
            f"{query.name}: the answers with Slidewise on and off differ, first in {row}",
            f"SET {SWITCH} = false leaves windows to Spark. Report the difference with the versions above",
        )
    if reasons:
        return Finding(
            "warning",
            "self-test",
            f"{query.name}: the same answers, but Spark evaluates it: {'; '.join(reasons)}",
            "Look at the settings and extensions above",
        )
    return None


def _explains(spark: Any) -> bool:
    """Whether `slidewise.explain` works in the session."""
    return not is_connect(spark) or is_since("4.0", spark.version)


def _left_to_spark(df: Any) -> list[str]:
    """Why Spark evaluates expressions of the query; empty if Slidewise evaluates them all."""
    reports = explain(df).collect()
    if not reports:
        return ["slidewise.explain lists no window"]
    return list(dict.fromkeys(str(report.reason) for report in reports if not report.slidewise))


def _answer(df: Any) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in df.collect())
