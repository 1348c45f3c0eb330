"""DISTINCT, percentiles and modes over frames of a thousand rows and more, beside a sorted list in Python."""

from __future__ import annotations

import bisect
import math
import random
from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from plans import plan
from pyspark.sql import SparkSession
from sparks import SPARK

import slidewise

ROWS = 12_000
PARTITIONS = 2
WORDS = 1000
CALLS = [
    "count(DISTINCT few)",
    "sum(DISTINCT many)",
    "count(DISTINCT word)",
    "median(many)",
    "percentile(many, 0.99)",
    "percentile_disc(0.1) WITHIN GROUP (ORDER BY few DESC)",
]
if SPARK >= (4, 0):
    CALLS.append("mode(few, true)")
# By place in the partition: the first row of a frame, and the first after it.
FRAMES = {
    "ROWS 999 PRECEDING": (-999, 1),
    "RANGE BETWEEN 2999 PRECEDING AND 1500 FOLLOWING": (-2999, 1501),
    "ROWS BETWEEN 4500 PRECEDING AND 4000 PRECEDING": (-4500, -3999),
    "ROWS BETWEEN 700 FOLLOWING AND UNBOUNDED FOLLOWING": (700, math.inf),
    "ROWS UNBOUNDED PRECEDING": (-math.inf, 1),
}
LONG = list(FRAMES)[2:]

Row = tuple[int, int]


@pytest.fixture(scope="module")
def values(spark: SparkSession, seed: int, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The columns `few` and `many` in the order of `id`, in the view `long`; -1 stands for a null of `few`."""
    rng = random.Random(seed)
    drawn = [(rng.choice([-1, *range(12)]), rng.randrange(ROWS)) for _ in range(ROWS)]
    order = rng.sample(range(ROWS), ROWS)
    columns = {
        "id": [i // PARTITIONS for i in order],
        "p": [i % PARTITIONS for i in order],
        "few": pa.array([None if drawn[i][0] < 0 else drawn[i][0] for i in order], pa.int32()),
        "many": [drawn[i][1] for i in order],
        "word": [f"word {drawn[i][1] % WORDS}" for i in order],
    }
    path = tmp_path_factory.mktemp("long") / "long.parquet"
    pq.write_table(pa.table(columns), path)
    spark.read.parquet(str(path)).createOrReplaceTempView("long")
    return drawn


@pytest.mark.parametrize("presorted", [False, True])
@pytest.mark.parametrize("frame", [pytest.param(f, marks=pytest.mark.long if f in LONG else ()) for f in FRAMES])
def test_long_frames(spark: SparkSession, values: list[Row], frame: str, presorted: bool) -> None:
    over = "PARTITION BY p ORDER BY id"
    source = "(SELECT * FROM long DISTRIBUTE BY p SORT BY p, id)" if presorted else "long"
    query = spark.sql(f"SELECT p, id, {', '.join(f'{call} OVER ({over} {frame})' for call in CALLS)} FROM {source}")
    operator = next(line for line in plan(query).splitlines() if "SlidingWindow" in line)
    assert ("sorts" in operator) != presorted
    assert {row.algorithm for row in slidewise.explain(query).collect()} == {"sliding-multiset"}
    found = {tuple(row)[:2]: tuple(row)[2:] for row in query.collect()}
    assert len(found) == ROWS
    for partition in range(PARTITIONS):
        rows = values[partition::PARTITIONS]
        for place, expected in enumerate(_expected(rows, *FRAMES[frame])):
            same = all(map(_same, found[partition, place], expected[: len(CALLS)]))
            assert same, (partition, place, found[partition, place], expected)


def _same(a: float | None, b: float | None) -> bool:
    return a is b if a is None or b is None else math.isclose(a, b)


def _expected(rows: list[Row], lower: float, upper: float) -> Iterator[tuple[float | None, ...]]:
    few, many, words = Counter[int](), Counter[int](), Counter[int]()
    ordered, total = list[int](), 0
    entered = left = 0
    for place in range(len(rows)):
        until = int(min(max(place + upper, 0), len(rows)))
        begin = int(min(max(place + lower, 0), until))
        for a, b in rows[entered:until]:
            few[a] += 1
            bisect.insort(ordered, b)
            total += 0 if many[b] else b
            many[b] += 1
            words[b % WORDS] += 1
        for a, b in rows[left:begin]:
            ordered.pop(bisect.bisect_left(ordered, b))
            for counts, value in ((few, a), (many, b), (words, b % WORDS)):
                counts[value] -= 1
                if not counts[value]:
                    del counts[value]
            total -= 0 if many[b] else b
        entered, left = max(entered, until), max(left, begin)
        present = {value: count for value, count in few.items() if value >= 0 and count}
        yield (
            len(present),
            total if ordered else None,
            len(words),
            _interpolated(ordered, 0.5),
            _interpolated(ordered, 0.99),
            _discrete(present, 0.1),
            min((value for value, n in present.items() if n == max(present.values())), default=None),
        )


def _interpolated(values: list[int], fraction: float) -> float | None:
    if not values:
        return None
    position = (len(values) - 1) * fraction
    low = math.floor(position)
    return values[low] + (position - low) * (values[math.ceil(position)] - values[low])


def _discrete(counts: dict[int, int], fraction: float) -> int | None:
    """From the greatest value."""
    rows, passed = sum(counts.values()), 0
    for value in sorted(counts, reverse=True):
        passed += counts[value]
        if passed >= fraction * rows:
            return value
    return None
