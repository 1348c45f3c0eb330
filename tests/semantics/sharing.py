"""Asks one query in several tasks that share a window without PARTITION BY, in one task, and of Spark alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from session import settings

Rows = list[tuple[Any, ...]]
Query = str | Callable[[], DataFrame]

ALONE = {"spark.slidewise.enabled": "false"}
ONE_TASK = {"spark.slidewise.parallel.enabled": "false"}
# Small enough that a few thousand rows are worth several tasks, and a number of tasks that divides few numbers.
SHARED = {"spark.slidewise.parallel.minRows": "50", "spark.sql.shuffle.partitions": "7"}

ROWS = 1_500
# Keys in no order, ties among most, and values of each type.
TABLE = f"""SELECT id, h, cast(h % 300 AS int) AS few, cast(h % 3 AS int) AS three,
    if(h % 11 = 0, NULL, cast(h % 900 AS int)) AS i,
    if(h % 11 = 0, NULL, cast(h % 5000 AS bigint)) AS l,
    if(h % 11 = 0, NULL, cast(h % 90000 / 100 AS decimal(10, 2))) AS m,
    CASE h % 37 WHEN 0 THEN double('NaN') WHEN 1 THEN double('Infinity') WHEN 2 THEN -double('Infinity')
      WHEN 3 THEN -0.0D WHEN 4 THEN 0.0D WHEN 5 THEN NULL ELSE (h % 2000 - 1000) / 8.0D END AS d,
    if(h % 11 = 0, NULL, date_add(DATE'2023-11-30', cast(h % 600 AS int))) AS day,
    if(h % 11 = 0, NULL, timestamp_seconds(1698000000 + h % 2000 * 1800)) AS ts,
    if(h % 11 = 0, NULL, timestamp_ntz'2024-01-31 00:00:00' + make_dt_interval(0, 0, 0, h % 9000 * 999)) AS ntz,
    concat('k', h % 800) AS s, named_struct('a', h % 40, 'b', if(h % 7 = 0, NULL, concat('x', h % 9))) AS t,
    unhex(hex(h % 900)) AS b
  FROM (SELECT id, pmod(hash(id), 1000003) AS h FROM range(0, {ROWS}, 1, 4))"""


# Over a window `{w}` ordered by `few`: they read rows of other tasks, which may be in the middle of their peers.
BESIDE_RANKS = (
    "lag(few) OVER ({w})",
    "sum(few) OVER ({w} ROWS 3 PRECEDING)",
    "max(few) OVER ({w} ROWS BETWEEN 200 PRECEDING AND 1 FOLLOWING)",
)


@dataclass(frozen=True)
class Sharing:
    """Runs queries in a session. `changes`: settings for each run."""

    spark: SparkSession

    def run(self, query: Query, changes: dict[str, str]) -> tuple[Rows, DataFrame]:
        with settings(self.spark, SHARED | changes):
            frame = self.spark.sql(query) if isinstance(query, str) else query()
            return [tuple(row) for row in frame.collect()], frame

    def ask(
        self,
        query: Query,
        tasks: range | int = range(2, 8),
        in_order: bool = False,
        spark_too: bool = False,
        **more: str,
    ) -> Rows:
        """The rows with several tasks, which are those of one task.

        `tasks`: how many must have run. `in_order`: whether the order of the rows is compared, too.
        `spark_too`: whether the rows are also compared with those of Spark alone.
        Keywords are settings, with `_` for `.` after `spark.sql.`
        """
        changes = {f"spark.sql.{key.replace('_', '.')}": value for key, value in more.items()}
        shared, frame = self.run(query, changes)
        ran = tasks_of(frame)
        assert ran
        assert all(n in ([tasks] if isinstance(tasks, int) else tasks) for n in ran), ran
        for other in [ONE_TASK, *([ALONE] if spark_too else [])]:
            expected, _ = self.run(query, changes | other)
            wrong = difference(shared, expected, in_order)
            assert wrong is None, f"{other}: {wrong}"
        return shared


def difference(found: Rows, expected: Rows, in_order: bool) -> str | None:
    if len(found) != len(expected):
        return f"{len(found)} rows instead of {len(expected)}"
    if not in_order:
        found, expected = sorted(found, key=repr), sorted(expected, key=repr)
    wrong = [(a, b) for a, b in zip(found, expected, strict=True) if not near(a, b)]
    return f"{len(wrong)} rows differ: {wrong[:3]}" if wrong else None


def near(a: Any, b: Any) -> bool:
    """Whether two values are equal, doubles but for the order of additions."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return repr(a) == repr(b) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return repr(a) == repr(b)


def nodes(frame: DataFrame) -> Iterator[Any]:
    """The operators of the executed plan, those of adaptive stages and below reused exchanges too."""
    return _below(frame._jdf.queryExecution().executedPlan())


def _below(node: Any) -> Iterator[Any]:
    yield node
    name = node.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        yield from _below(node.executedPlan())
    elif name.endswith("QueryStageExec"):
        yield from _below(node.plan())
    for i in range(node.children().size()):
        yield from _below(node.children().apply(i))


def tasks_of(frame: DataFrame) -> list[int]:
    """How many tasks ran each window that several may share."""
    return [int(node.metrics().apply("tasks").value()) for node in named(frame, "SlidingWindow")]


def named(frame: DataFrame, name: str) -> list[Any]:
    return [node for node in nodes(frame) if node.nodeName() == name]
