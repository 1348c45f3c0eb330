"""A random query over a random stream: window expressions, the watermark, and how it runs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from streams.columns import random_batches

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
HDFS = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"

KEYS = ["", "k", "k", "g", "price", "k, g", "price, k", "upper(k), n % 3", "x", "struct(k, g)", "g, array(b)"]
# `%` for the window, where it is not at the end.
AGGREGATES = [
    "sum(n)", "sum(x)", "sum(d)", "sum(wide)", "avg(x)", "avg(d)", "avg(n)", "min(s)", "max(s)", "max(ts)", "min(d)",
    "max(wide)", "count(*)", "count(x)", "count(n, s)", "max_by(s, d)", "min_by(x, id)", "max_by(struct(id, s), n)",
    "approx_count_distinct(s)", "percentile_approx(n, 0.5)", "percentile_approx(x, array(0.1, 0.9))",
    "percentile(n, 0.5)", "percentile(d, 0.25)", "collect_list(n)", "collect_list(s)", "array_agg(d)",
    "array_sort(collect_set(g)%)", "stddev(x)", "var_pop(n)",
    "skewness(d)", "kurtosis(g)", "corr(d, g)", "covar_samp(d, g)", "regr_slope(d, g)",
    "first(s)", "last(s)", "first(n) IGNORE NULLS", "last(n) IGNORE NULLS", "any_value(d)",
    "bool_and(b)", "bool_or(b)", "bit_xor(n)", "bit_and(g)", "try_sum(n)", "try_avg(d)", "listagg(s, ',')",
    "histogram_numeric(d, 3)", "hll_sketch_estimate(hll_sketch_agg(s)%)", "max(array(n, g))", "min(struct(d, s))",
    "count_if(b)", "every(b)", "approx_percentile(d, 0.5, 100)", "string_agg(s)",
]  # fmt: skip
PLACES = [
    "row_number()",
    "rank()",
    "dense_rank()",
    "lag(n)",
    "lag(s, 2, 'none')",
    "lag(x, 1, x)",
    "lag(d, 3)",
    "lag(id, 130)",
]


@dataclass(frozen=True)
class Query:
    """`restart`: the batch before which the query stops and begins again; `ahead`: rows that a frame waits for."""

    seed: int
    index: int
    batches: list[list[dict[str, Any]]]
    delay: str
    partition: str
    expressions: list[str]
    ahead: int
    restart: int
    settings: dict[str, str]

    @property
    def over(self) -> str:
        return f"PARTITION BY {self.partition} ORDER BY ts" if self.partition else "ORDER BY ts"

    def sql(self, table: str, *more: str) -> str:
        columns = [f"{expression} AS c{i}" for i, expression in enumerate(self.expressions)]
        return f"SELECT id, ts, {', '.join([*columns, *more])} FROM {table}"

    @property
    def waits(self) -> int:
        """How many rows of its key a row waits for."""
        frames = (expression for expression in self.expressions if "ROWS" in expression or "lead" in expression)
        return self.ahead if any("FOLLOWING" in frame or "lead" in frame for frame in frames) else 0

    @property
    def replay(self) -> str:
        return f"SLIDEWISE_SEED={self.seed} pytest tests/streams -k 'test_random_queries[{self.index}]'"


def random_query(seed: int, index: int) -> Query:
    rng = random.Random(f"streams/{seed}/{index}")
    long = index % 8 == 7
    batches = random_batches(rng, rng.randrange(1500, 4000) if long else rng.randrange(20, 300), rng.randrange(2, 5))
    partition = rng.choice(KEYS)
    ahead = rng.choice([0, 0, 0, 1, 3, 140])
    over = f"PARTITION BY {partition} ORDER BY ts" if partition else "ORDER BY ts"
    expressions = []
    for _ in range(rng.choice([1, 2, 3])):
        frame = _frame(rng, ahead, long)
        for _ in range(rng.choice([1, 2])):
            expressions.append(_aggregate(rng, f"OVER ({over} {frame})"))
    for place in rng.sample(PLACES, rng.choice([0, 0, 2])):
        expressions.append(f"{place} OVER ({over})")
    if ahead:
        expressions.append(f"lead(s, {ahead}) OVER ({over})")
    settings = {
        "spark.sql.streaming.stateStore.providerClass": rng.choice([ROCKSDB, HDFS]),
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": rng.choice(["true", "false"]),
        "spark.sql.shuffle.partitions": rng.choice(["1", "1", "3"]),
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": rng.choice(["UTC", "America/New_York"]),
    }
    restart = rng.randrange(1, len(batches)) if index % 3 == 0 else 0
    delay = rng.choice(["1 millisecond", "5 seconds", "1 minute", "1 hour"])
    return Query(seed, index, batches, delay, partition, expressions, ahead, restart, settings)


def _aggregate(rng: random.Random, over: str) -> str:
    call = rng.choice(AGGREGATES)
    plain = "NULLS" not in call
    window = f" FILTER (WHERE n > 0 OR b) {over}" if plain and rng.random() < 0.2 else f" {over}"
    return call.replace("%", window) if "%" in call else call + window


def _frame(rng: random.Random, ahead: int, long: bool) -> str:
    before = rng.choice([0, 1, 5, 20, 127, 128, 129] + ([700, 1500] if long else []))
    last = rng.choice([0, 0, 0, min(before, 2), before])
    rows_end = (
        rng.choice([f"{ahead} FOLLOWING", "CURRENT ROW"]) if ahead else (f"{last} PRECEDING" if last else "CURRENT ROW")
    )
    seconds = rng.choice([0, 1, 9, 60, 600])
    range_end = (
        f"INTERVAL {rng.choice([0, 1, 30])} SECONDS FOLLOWING"
        if ahead
        else rng.choice(["CURRENT ROW", "CURRENT ROW", f"INTERVAL {seconds // 3} SECONDS PRECEDING"])
    )
    kind = rng.random()
    if kind < 0.45:
        return f"ROWS BETWEEN {before} PRECEDING AND {rows_end}"
    if kind < 0.75:
        return f"RANGE BETWEEN INTERVAL {seconds} SECONDS PRECEDING AND {range_end}"
    if kind < 0.8:
        return f"RANGE BETWEEN INTERVAL 60.5 SECONDS PRECEDING AND {range_end}"
    if kind < 0.9:
        return f"ROWS BETWEEN UNBOUNDED PRECEDING AND {rows_end}"
    return f"RANGE BETWEEN UNBOUNDED PRECEDING AND {range_end}"
