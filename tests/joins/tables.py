"""Two small tables with equal times, null keys and null times, and where their joins run."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession

START = datetime(2026, 3, 1)

RUNS_ON_SLIDEWISE = True
"""Whether these joins run on Slidewise, and `assert_runs_on_slidewise` looks for its operators."""


class Row(NamedTuple):
    id: int
    k: str | None
    ts: datetime | None
    x: int


def rows_of(seed: int, count: int) -> list[Row]:
    """Random rows of three keys and of 40 minutes, of which many have the same time. The value `x` of a row is that of
    its key and time, so that the choice among rows of the same time does not matter."""
    rng = random.Random(seed)
    drawn = []
    for at in range(count):
        key, minute = rng.choice(["a", "a", "b", "c", None]), rng.choice([None, *range(40)])
        value = hash((ord(key or "?"), minute or -1)) % 101
        drawn.append(Row(at, key, None if minute is None else START + timedelta(minutes=minute), value))
    return drawn


LEFT, RIGHT = rows_of(1, 50), rows_of(2, 60)


def tables(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    def literal(value: Any) -> str:
        return "NULL" if value is None else str(value) if isinstance(value, int) else f"'{value}'"

    def table(rows: list[Row]) -> DataFrame:
        values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
        return spark.sql(f"SELECT id, k, cast(ts AS timestamp) AS ts, x FROM VALUES {values} AS t(id, k, ts, x)")

    return table(LEFT).drop("x"), table(RIGHT).drop("id")


def assert_runs_on_slidewise(df: DataFrame, operator: str) -> None:
    """Checks that the executed plan has the operator: `WindowJoin` or `AsOfJoin`."""
    if RUNS_ON_SLIDEWISE:
        assert f"{operator} " in plan_of(df)


def plan_of(df: Any) -> str:
    if hasattr(df, "_jdf"):
        return str(df._jdf.queryExecution().executedPlan().toString())
    return str(df._explain_string())
