"""Every random query over hopping windows has one answer: with Slidewise, without it, and by the definition."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from plans import plan
from pyspark.sql import SparkSession
from random_queries import RandomQueries
from session import settings

from generated import hopping_oracle
from generated.hopping_oracle import Group
from generated.hopping_query import HoppingQuery, random_hopping_query

MINIMUM = int(os.environ.get("SLIDEWISE_HOPPING_QUERIES", "2"))


def test_random_hopping_windows(spark: SparkSession, seed: int, random_queries: RandomQueries) -> None:
    random_queries.ask_each(lambda index: check(spark, random_hopping_query(seed, index)), seed, MINIMUM)


def check(spark: SparkSession, query: HoppingQuery) -> None:
    with _ready(spark, query):
        on, off = (_answer(spark, query, slidewise) for slidewise in (True, False))
    _compare(query, "Slidewise", on, off)
    known = [i for i, call in enumerate(query.calls) if call in hopping_oracle.AGGREGATES]
    _compare(
        query,
        "the definition",
        {group: [values[i] for i in known] for group, values in on.items()},
        hopping_oracle.answer(query),
    )


def columns(query: HoppingQuery) -> str:
    return f"id bigint, t bigint, k {query.key_types[0]}, j {query.key_types[1]}, x bigint, d decimal(12,2), s string"


def rows(query: HoppingQuery) -> list[tuple[Any, ...]]:
    return [tuple(vars(row).values()) for row in query.rows]


@contextmanager
def _ready(spark: SparkSession, query: HoppingQuery) -> Iterator[None]:
    with settings(spark, query.settings):
        frame = spark.createDataFrame(rows(query), columns(query)).repartition(query.partitions, "id")
        frame.createOrReplaceTempView("hopping")
        yield


def _answer(spark: SparkSession, query: HoppingQuery, slidewise: bool) -> dict[Group, list[Any]]:
    spark.conf.set("spark.slidewise.enabled", str(slidewise).lower())
    try:
        frame = spark.sql(query.sql)
        assert ("HoppingWindow" in plan(frame)) == slidewise, _report(query, plan(frame))
        found = [tuple(row) for row in frame.collect()]
    finally:
        spark.conf.unset("spark.slidewise.enabled")
    keys = 2 + len(query.keys)
    answer = {hopping_oracle.group_of(row[:keys]): list(row[keys:]) for row in found}
    assert len(answer) == len(found), _report(query, "a window is there twice")
    return answer


def _compare(query: HoppingQuery, whom: str, found: dict[Group, list[Any]], expected: dict[Group, list[Any]]) -> None:
    assert found.keys() == expected.keys(), _report(
        query, f"{whom}: other windows: {sorted(found.keys() ^ expected.keys(), key=repr)[:5]}"
    )
    # Great values of both signs may cancel out, but for what rounding them has left.
    rounding = 1e-9 + 1e-16 * sum(abs(row.x or 0) for row in query.rows)
    for group, values in found.items():
        same = all(_same(a, b, rounding) for a, b in zip(values, expected[group], strict=True))
        assert same, _report(query, f"{whom}: {group}: {values} <> {expected[group]}")


def _same(a: Any, b: Any, rounding: float) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=rounding)
    return bool(a == b)


def _report(query: HoppingQuery, what: str) -> str:
    settings = "\n".join(f"  {key}={value}" for key, value in query.settings.items())
    return f"{what}\n{query.sql}\n{len(query.rows)} rows, keys {query.key_types}\n{settings}\n"
