"""A random query for the first rows of each key, by a rank."""

from __future__ import annotations

import random
from dataclasses import dataclass

from generated.query import Query, random_query
from generated.window import Window, random_window

RANKS = ["row_number", "rank", "dense_rank"]


@dataclass(frozen=True)
class TopRowsQuery:
    """`query`: the table, and the settings. `keyed`: with PARTITION BY, without which Spark selects them."""

    query: Query
    spark: str
    duckdb: str | None
    keyed: bool


def random_top_rows_query(seed: int, index: int) -> TopRowsQuery:
    query = random_query(seed, index)
    rng = random.Random(f"{seed}/{index}/top")
    window = _ordered(rng, query)
    in_order = window.total or query.storage != "local"
    rank = rng.choice(RANKS if in_order else RANKS[1:])
    n = rng.choice([1, 1, 2, 3, 10, 100])
    condition = rng.choice([f"place <= {n}", f"place < {n + 1}", f"{n} >= place", "place = 1"])
    columns = [f"{rank}() {window.over(None)} AS place"]
    if in_order and rng.random() < 0.3:
        columns.append(f"sum(id) OVER ({window.keys} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total")
    names = ", ".join(column.split(" AS ")[-1] for column in columns)
    sql = f"SELECT id, {names} FROM (SELECT id, {', '.join(columns)} FROM t) AS ranked WHERE {condition}"
    sayable = window.said and (window.total or (rank != "row_number" and len(columns) == 1))
    return TopRowsQuery(query, sql, sql if sayable else None, "PARTITION BY" in window.keys)


def _ordered(rng: random.Random, query: Query) -> Window:
    while True:
        window = random_window(rng, query.table, query.settings["spark.sql.legacy.interval.enabled"] == "true")
        if window.ordered:
            return window
