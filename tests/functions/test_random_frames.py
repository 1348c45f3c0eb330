"""Thousands of random frames: every function beside its definition in Python, with Slidewise and without."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable
from typing import Any

from plans import plan
from pyspark.sql import SparkSession
from random_queries import RandomQueries, seed_or
from semantics.conftest import settings

from functions import brute

# Twelve frames are of all kinds: interpreted and compiled, with ANSI and without.
MINIMUM = int(os.environ.get("SLIDEWISE_FRAMES", "12"))
Row = tuple[int, int, int | None, int | None, float | None]

CASES: dict[str, Callable[[list[Row]], Any]] = {
    "geomean(abs(x))": lambda rows: brute.geomean([None if r[2] is None else abs(r[2]) for r in rows]),
    "max_count(x)": lambda rows: brute.max_count([r[2] for r in rows]),
    "min_count(x)": lambda rows: brute.min_count([r[2] for r in rows]),
    "arg_max(y, x)": lambda rows: brute.arg_max([(r[3], r[2]) for r in rows]),
    "arg_max(y, x, 'last')": lambda rows: brute.arg_max([(r[3], r[2]) for r in rows], last=True),
    "arg_min(y, x, 'first')": lambda rows: brute.arg_min([(r[3], r[2]) for r in rows]),
    "arg_min(y, x, 'last')": lambda rows: brute.arg_min([(r[3], r[2]) for r in rows], last=True),
    "m4(y, x)": lambda rows: brute.m4([(r[3], r[2]) for r in rows]),
    "max_subarray_sum(x)": lambda rows: brute.max_subarray_sum([r[2] for r in rows]),
    "max_subarray_sum(d)": lambda rows: brute.max_subarray_sum([r[4] for r in rows]),
    "ewma(x, 0.3)": lambda rows: brute.ewma([r[2] for r in rows], 0.3),
    "ewma(d, 0.9, false)": lambda rows: brute.ewma([r[4] for r in rows], 0.9, adjust=False),
    "ewma(x, 1)": lambda rows: brute.ewma([r[2] for r in rows], 1),
    "time_weighted_avg(t, x)": lambda rows: brute.time_weighted_avg([(r[1], r[2]) for r in rows]),
    "time_weighted_avg(t, d, 'linear')": lambda rows: brute.time_weighted_avg([(r[1], r[4]) for r in rows], True),
    "increase(t, x)": lambda rows: brute.increase([(r[1], r[2]) for r in rows]),
    "increase(t, d)": lambda rows: brute.increase([(r[1], r[4]) for r in rows]),
    "rate(timestamp_seconds(t), x)": lambda rows: brute.rate([(r[1], r[2]) for r in rows]),
    "longest_increasing_run(x)": lambda rows: brute.longest_increasing_run([r[2] for r in rows]),
    "longest_increasing_run(x, false)": lambda rows: brute.longest_increasing_run([r[2] for r in rows], False),
    "longest_decreasing_run(d)": lambda rows: brute.longest_decreasing_run([r[4] for r in rows]),
    "longest_decreasing_run(x, false)": lambda rows: brute.longest_decreasing_run([r[2] for r in rows], False),
    "top_k(x, 3)": lambda rows: brute.top_k([r[2] for r in rows], 3),
    "bottom_k(x, 100)": lambda rows: brute.bottom_k([r[2] for r in rows], 100),
    "top_k_by(y, x, 2)": lambda rows: brute.top_k_by([(r[3], r[2]) for r in rows], 2),
}


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
