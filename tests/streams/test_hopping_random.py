"""Random streams with GROUP BY window(): each batch emits what it emits with Spark's own operator, through restarts."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from random_queries import RandomQueries, seed_or
from session import settings

from streams.feed import Feed
from streams.hopping import ARROW, SCHEMA, Ran, Stream, row, text
from streams.query import HDFS, ROCKSDB

# Every third runs in each output mode, every second is stopped and begun again.
MINIMUM = int(os.environ.get("SLIDEWISE_STREAM_QUERIES", "2"))

AGGREGATES = [
    "sum(n)",
    "count(*)",
    "min(n)",
    "max(ts)",
    "avg(n)",
    "stddev(n)",
    "bit_xor(n)",
    "sort_array(collect_list(n))",
    "approx_count_distinct(n)",
    "percentile(n, 0.5)",
    "sum(n) FILTER (WHERE n > 2)",
    "sum(CAST(n AS DECIMAL(25, 2)))",
    "max_count(n)",
    "count_if(k = 'a')",
]
KEYS = ["", "k", "k", "k, n % 3", "n % 2 = 0", "upper(k), length(k)"]
CONDITIONS = ["", "", "", "second(window.start) % 20 = 0", "k = 'a'", "window.end > TIMESTAMP'2024-01-01 00:05:00Z'"]


@dataclass(frozen=True)
class Query:
    batches: list[list[dict[str, Any]]]
    sql: str
    mode: str
    delay: str | None
    restart: int
    files_a_batch: int
    settings: dict[str, str]

    def over(self, rows: DataFrame) -> DataFrame:
        rows.createOrReplaceTempView("events")
        return rows.sparkSession.sql(self.sql)


def random_query(seed: int, index: int) -> Query:
    rng = random.Random(f"hopping streams/{seed}/{index}")
    mode = ["append", "update", "complete"][index % 3]
    slide = rng.choice([1, 2, 5, 10, 60])
    size = slide * rng.choice([2, 3, 7, 30]) + rng.choice([0, 0, rng.uniform(0.1, 0.9) * slide])
    offset = rng.choice([0, 0, rng.uniform(0, 0.99) * slide])
    window = f"window(ts, '{size:.3f} seconds', '{slide} seconds', '{offset:.3f} seconds')"
    keys, condition = rng.choice(KEYS), rng.choice(CONDITIONS)
    if condition.startswith("k ") and keys[:1] != "k":
        condition = ""
    columns = ", ".join(f"{call} AS c{i}" for i, call in enumerate(rng.sample(AGGREGATES, rng.choice([1, 2, 4]))))
    grouped = ", ".join([*([keys] if keys else []), window])
    named = ", ".join(f"{key} AS k{i}" for i, key in enumerate(keys.split(", "))) + ", " if keys else ""
    having = f" HAVING {condition.replace('window.', 'window.')}" if condition else ""
    batches = _batches(rng, slide, size)
    provider = rng.choice([ROCKSDB, HDFS])
    chosen = {
        "spark.sql.streaming.stateStore.providerClass": provider,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": rng.choice(["true", "false"]),
        "spark.sql.streaming.stateStore.checkpointFormatVersion": rng.choice("12") if provider == ROCKSDB else "1",
        "spark.sql.shuffle.partitions": rng.choice(["1", "2", "3"]),
        "spark.sql.session.timeZone": rng.choice(["UTC", "America/New_York"]),
    }
    return Query(
        batches,
        f"SELECT {named}window, {columns} FROM events GROUP BY {grouped}{having}",
        mode,
        rng.choice(["1 second", "10 seconds", "3 minutes"] + ([] if mode == "append" else [None])),
        rng.randrange(1, len(batches)) if index % 2 else 0,
        rng.choice([1, 1, 2]),
        chosen,
    )


def _batches(rng: random.Random, slide: float, size: float) -> list[list[dict[str, Any]]]:
    now = rng.choice([0.0, -1.8e9])  # before 1970, too
    late = rng.choice([0.1, 1, 4]) * size
    made = []
    for _ in range(rng.randrange(3, 7)):
        now += rng.choice([0, slide / 2, size, size * 20])
        keys = rng.choice([["a"], ["a", "b", None], list("abcdefgh")])
        made.append(
            [
                row(
                    rng.choice(keys),
                    None if rng.random() < 0.03 else round(now - rng.uniform(0, late), rng.choice([0, 1, 6])),
                    None if rng.random() < 0.1 else rng.randrange(-3, 9),
                )
                for _ in range(rng.choice([0, 1, 20, 60]))
            ]
        )
    return made


def test_random_hopping_streams(spark: SparkSession, tmp_path: Path, random_queries: RandomQueries) -> None:
    seed = seed_or(19)

    def ask(index: int) -> None:
        folder = tmp_path / str(index)
        assert_right(spark, folder, random_query(seed, index))
        shutil.rmtree(folder)

    random_queries.ask_each(ask, seed, MINIMUM)


def assert_right(spark: SparkSession, folder: Path, query: Query) -> None:
    feed = Feed(folder / "in", ARROW, SCHEMA)
    stream = Stream(spark, feed, query.over, query.mode, query.delay)
    on: list[Ran] = []
    with settings(spark, query.settings):
        for part in (query.batches[: query.restart], query.batches[query.restart :]):
            for rows in part:
                feed.arrive(rows)
            if part:
                on.append(stream.run(folder / "on", files_a_batch=query.files_a_batch))
                off = stream.run(folder / "off", enabled=False, files_a_batch=query.files_a_batch)
                assert on[-1].operators == ["hoppingWindow"], query.sql
                assert off.operators == ["stateStoreSave"], query.sql
                late = "numRowsDroppedByWatermark"
                assert (on[-1].batches, on[-1].each(late)) == (off.batches, off.each(late)), query
        if query.mode == "complete":
            last = max(batch for ran in on for batch in ran.batches) if any(r.batches for r in on) else None
            emitted = [ran.batches[last] for ran in on if last in ran.batches][-1] if last is not None else []
            for slidewise in (False, True):
                assert emitted == of_a_table(spark, query, feed, folder, slidewise), (slidewise, query)


def of_a_table(spark: SparkSession, query: Query, feed: Feed, folder: Path, slidewise: bool) -> list[str]:
    """The answer over all rows as a table."""
    with settings(spark, {"spark.slidewise.enabled": str(slidewise).lower()}):
        answer = query.over(feed.table(spark, feed.rows, folder / "all.parquet"))
        return sorted(text(tuple(found)) for found in answer.collect())
