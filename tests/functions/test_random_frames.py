"""Compares every function over thousands of random frames with its definition in Python, with Slidewise and without."""

from __future__ import annotations

import math
import os
import random
from typing import Any

from plans import plan
from pyspark.sql import SparkSession
from random_queries import RandomQueries, seed_or
from session import settings

from functions.catalogue import ALL
from functions.catalogue.tested import Row

# Six frames are of all kinds: interpreted and compiled, with ANSI and without.
MINIMUM = int(os.environ.get("SLIDEWISE_FRAMES", "6"))
CASES = {call: define for function in ALL for call, define in function.frames.items()}


def table(rng: random.Random, rows: int) -> list[Row]:
    """i in order, t in order with ties, two columns of integers and one of doubles, all with nulls."""
    nulls, spread = rng.choice([0.0, 0.2, 0.8]), rng.choice([2, 9, 1000])

    def drawn(value: Any) -> Any:
        return None if rng.random() < nulls else value

    t, made = 0, list[Row]()
    for i in range(rows):
        t += rng.choice([0, 1, 1, 7])
        x, y, d = rng.randint(-spread, spread), rng.randint(-spread, spread), rng.randint(-spread, spread) / 8
        made.append((i, t, drawn(x), drawn(y), drawn(d)))
    return made


def same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, (int, float)):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def test_each_function_is_its_definition(spark: SparkSession, random_queries: RandomQueries) -> None:
    seed = seed_or(0)
    random_queries.ask_each(lambda index: assert_right(spark, seed, index), seed, MINIMUM)


def assert_right(spark: SparkSession, seed: int, index: int) -> None:
    rng = random.Random(seed + index)
    rows = table(rng, rng.choice([1, 40, 90]))
    lower, upper = sorted(rng.choice([-30, -9, -3, -1, 0, 2, 5]) for _ in range(2))

    def bound(offset: int) -> str:
        return "CURRENT ROW" if offset == 0 else f"{abs(offset)} {'PRECEDING' if offset < 0 else 'FOLLOWING'}"

    spark.createDataFrame(rows, "i int, t bigint, x int, y int, d double").createOrReplaceTempView("series")
    window = f"(ORDER BY i ROWS BETWEEN {bound(lower)} AND {bound(upper)})"
    calls = ", ".join(f"{call} OVER w AS c{n}" for n, call in enumerate(CASES))
    sql = f"SELECT i, {calls} FROM series WINDOW w AS {window} ORDER BY i"
    interpreted = index % 3 == 0
    codegen = {"spark.sql.codegen.factoryMode": "NO_CODEGEN" if interpreted else "CODEGEN_ONLY"}
    for on in ("true", "false"):
        changes = {"spark.slidewise.enabled": on, "spark.sql.ansi.enabled": str(index % 2 == 0).lower()} | codegen
        with settings(spark, changes):
            frame = spark.sql(sql)
            answers = frame.collect()
            assert ("SlidingWindow" in plan(frame)) == (on == "true")
        for i, *found in answers:
            frame_rows = rows[max(0, i + lower) : max(0, i + upper + 1)]
            for (call, define), answer in zip(CASES.items(), found, strict=True):
                expected = define(frame_rows)
                assert same(answer, expected), f"{call} over {frame_rows}: {answer}, and not {expected} ({on=})"
