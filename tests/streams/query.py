"""A random query over a random stream: window expressions, the watermark, and how it runs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from sparks import portable

from streams.calls import APPROXIMATE, OURS, PLACES, SPARKS, SPELLED, USERS
from streams.columns import random_batches

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
HDFS = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"

KEYS = ["", "k", "k", "g", "price", "k, g", "price, k", "upper(k), n % 3", "x", "struct(k, g)", "g, array(b)"]


@dataclass(frozen=True)
class Expression:
    """`tolerance`: by how much two right answers may differ, beside what adding in another order does.

    `for_spark`: what Spark alone is asked, if not the same."""

    sql: str
    tolerance: float = 0.0
    for_spark: str = ""


@dataclass(frozen=True)
class Query:
    """`delay`: the watermark's, or none; `restart`: the batch before which the query stops and begins again;
    `ahead`: rows that a frame waits for."""

    seed: int
    index: int
    batches: list[list[dict[str, Any]]]
    eager: bool
    delay: str | None
    partition: str
    expressions: list[Expression]
    ahead: int
    restart: int
    settings: dict[str, str]

    @property
    def over(self) -> str:
        return f"PARTITION BY {self.partition} ORDER BY ts" if self.partition else "ORDER BY ts"

    def sql(self, table: str) -> str:
        return _select([expression.sql for expression in self.expressions], table)

    def sql_for_spark(self, table: str, *more: str) -> str:
        return _select([expression.for_spark or expression.sql for expression in self.expressions], table, *more)

    @property
    def waits(self) -> int:
        """How many rows of its key a row waits for."""
        frames = (e.sql for e in self.expressions if "ROWS" in e.sql or "lead" in e.sql)
        return self.ahead if any("FOLLOWING" in frame or "lead" in frame for frame in frames) else 0


def random_query(seed: int, index: int) -> Query:
    rng = random.Random(f"streams/{seed}/{index}")
    long = index % 8 == 2
    eager = index % 4 == 1
    batches = random_batches(rng, rng.randrange(1500, 4000) if long else rng.randrange(20, 300), rng.randrange(2, 5))
    partition = rng.choice(KEYS)
    ahead = 0 if eager else rng.choice([0, 0, 0, 1, 3, 140])
    over = f"PARTITION BY {partition} ORDER BY ts" if partition else "ORDER BY ts"
    expressions = []
    for _ in range(rng.choice([1, 2, 3])):
        frame = _frame(rng, ahead, long)
        for _ in range(rng.choice([1, 2])):
            expressions.append(_aggregate(rng, over, frame, sum(map(len, batches))))
    for place in rng.sample(PLACES, rng.choice([0, 0, 2])):
        expressions.append(Expression(f"{place} OVER ({over})"))
    if ahead:
        expressions.append(Expression(f"lead(s, {ahead}) OVER ({over})"))
    provider, changelog = rng.choice([ROCKSDB, HDFS]), rng.choice(["true", "false"])
    settings = {
        "spark.slidewise.streaming.mode": "eager" if eager else "append",
        "spark.sql.streaming.stateStore.providerClass": provider,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": changelog,
        "spark.sql.streaming.stateStore.checkpointFormatVersion": rng.choice("12") if provider == ROCKSDB else "1",
        "spark.sql.shuffle.partitions": rng.choice(["1", "1", "3"]),
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": rng.choice(["UTC", "America/New_York"]),
    }
    restart = rng.randrange(1, len(batches)) if index % 3 == 0 else 0
    delays = ["1 millisecond", "5 seconds", "1 minute", "1 hour"]
    delay = rng.choice([*delays, None, None, None] if eager else delays)
    return Query(seed, index, batches, eager, delay, partition, expressions, ahead, restart, settings)


def _select(columns: list[str], table: str, *more: str) -> str:
    named = [f"{column} AS c{i}" for i, column in enumerate(columns)]
    return f"SELECT id, ts, {', '.join([*named, *more])} FROM {table}"


def _aggregate(rng: random.Random, over: str, frame: str, rows: int) -> Expression:
    """`rows`: how many the stream has."""
    kind, error, for_spark = rng.random(), 0.0, ""
    if kind < 0.35:
        call = rng.choice(SPARKS)
    elif kind < 0.5:
        spelled = rng.choice(SPELLED)
        call, for_spark = spelled.call, spelled.for_spark
    elif kind < 0.75:
        call = rng.choice(OURS)
    elif kind < 0.88:
        call = rng.choice(USERS)
    else:
        approximate = rng.choice(APPROXIMATE)
        call, error = approximate.call, approximate.error
    window = f" OVER ({over} {frame})"
    if "NULLS" not in call and rng.random() < 0.2:
        window = portable(" FILTER (WHERE n > 0 OR b)") + window
    most = int(frame.split()[2]) + 1 if _is_last_rows(frame) else rows
    return Expression(_over(call, window), error * most, _over(for_spark, window) if for_spark else "")


def _over(call: str, window: str) -> str:
    return call.replace("%", window) if "%" in call else call + window


def _is_last_rows(frame: str) -> bool:
    return frame.startswith("ROWS BETWEEN ") and frame.split()[2].isdigit() and frame.endswith(" AND CURRENT ROW")


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
    if kind < 0.03:
        # Empty frames, whose functions never read a row.
        return f"ROWS BETWEEN CURRENT ROW AND {before + 1} PRECEDING"
    if kind < 0.45:
        return f"ROWS BETWEEN {before} PRECEDING AND {rows_end}"
    if kind < 0.75:
        return f"RANGE BETWEEN INTERVAL {seconds} SECONDS PRECEDING AND {range_end}"
    if kind < 0.8:
        return f"RANGE BETWEEN INTERVAL 200.5 SECONDS PRECEDING AND {range_end}"
    if kind < 0.9:
        return f"ROWS BETWEEN UNBOUNDED PRECEDING AND {rows_end}"
    return f"RANGE BETWEEN UNBOUNDED PRECEDING AND {range_end}"
