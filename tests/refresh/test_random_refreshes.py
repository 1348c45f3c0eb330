"""After each of many random changes, the refreshed result is that of the whole query."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from random_queries import RandomQueries, seed_or
from session import settings

import slidewise
from refresh.queries import Query, random_query
from refresh.tables import GENERATED, Log, frame

MINIMUM = int(os.environ.get("SLIDEWISE_REFRESHES", "1"))
CHANGES = 3
LAYOUTS = (["p"], ["p"], ["day"], ["y", "mo"], ["part"])
# Each share but the last computes some of the queries whole.
SETTINGS = (
    {"spark.slidewise.refresh.maxShare": "1"},
    {"spark.slidewise.refresh.maxShare": "1"},
    {"spark.slidewise.refresh.maxShare": "0.6"},
    {"spark.slidewise.refresh.maxShare": "1", "spark.slidewise.enabled": "false"},
    {"spark.slidewise.refresh.maxShare": "1", "spark.sql.ansi.enabled": "false"},
    {"spark.slidewise.refresh.maxShare": "1", "spark.sql.session.timeZone": "America/New_York"},
    {"spark.slidewise.refresh.maxShare": "1", "spark.sql.adaptive.enabled": "false"},
)


def test_random_refreshes(spark: SparkSession, random_queries: RandomQueries, tmp_path: Path) -> None:
    seed = seed_or(1)
    random_queries.ask_each(lambda index: check(spark, seed, index, tmp_path / str(index)), seed, MINIMUM)


@pytest.mark.long
def test_many_random_refreshes(spark: SparkSession, random_queries: RandomQueries, tmp_path: Path) -> None:
    seed = seed_or(2)
    ask = random_queries.ask_each
    ask(lambda index: check(spark, seed, index, tmp_path / str(index)), seed, max(MINIMUM, 150))


def check(spark: SparkSession, seed: int, index: int, folder: Path) -> None:
    rng = random.Random(f"{seed} {index}")
    query = random_query(rng)
    logs = {name: Log(rng, rng.choice([0, 1, 30, 120])) for name in query.tables}
    # Spark has no windows of DISTINCT aggregates, and its joins are no window joins.
    needs_slidewise = len(logs) > 1 or "(DISTINCT" in query.sql
    chosen = rng.choice([s for s in SETTINGS if not (needs_slidewise and "spark.slidewise.enabled" in s)])
    with settings(spark, chosen | {"spark.sql.mapKeyDedupPolicy": "EXCEPTION"}):
        spark.createDataFrame([(0, 5), (1, 15), (2, 25)], "j int, g int").createOrReplaceTempView("s")
        for name, log in logs.items():
            log.table(spark).createOrReplaceTempView(name)
        kind = rng.choice(["parquet", "parquet", "orc"])
        result = spark.sql(query.sql)
        layouts = [columns for columns in LAYOUTS if set(columns) <= set(result.columns)]
        layout = rng.choice(layouts)
        stored = result.write.partitionBy(*layout).format(kind)
        known = {name: dict(rng.sample(list(GENERATED.items()), rng.choice([1, 2, 4]))) for name in query.tables}
        generated = rng.choice([None, known, known])
        target = f"stored_{seed}_{index}"
        try:
            # A path tells the types of its columns by rows only, and those of partitions by values.
            if rng.random() < 0.5 and not result.dropna(subset=layout).isEmpty():
                stored.save(str(folder))
                target = f"{kind}.`{folder}`"
            else:
                stored.saveAsTable(target)
            for _ in range(CHANGES):
                names = rng.sample(query.tables, rng.randint(1, len(query.tables)))
                _change(spark, names, logs, query, target, generated)
                if target.startswith(kind) and spark.sql(query.sql).dropna(subset=layout).isEmpty():
                    return
        finally:
            spark.sql(f"DROP TABLE IF EXISTS stored_{seed}_{index}")


def _change(
    spark: SparkSession,
    names: list[str],
    logs: dict[str, Log],
    query: Query,
    target: str,
    generated: dict[str, dict[str, str]] | None,
) -> None:
    changes = {name: logs[name].change() for name in names}
    for name in names:
        logs[name].table(spark).createOrReplaceTempView(name)
    current = spark.sql(query.sql)
    refresh = slidewise.Refresh(
        current,
        target,
        keys=query.keys,
        changes={name: frame(spark, changed) for name, changed in changes.items()},
        generated=generated,
    )
    planned = refresh.plan().head()
    done = refresh.run()
    described = f"{query.sql}\nchanges: {changes}\n{generated}\n{planned}\n{done}"
    # Spark cannot read a path without rows.
    if not (target.startswith(("parquet.", "orc.")) and current.isEmpty()):
        assert rows(spark.table(target).select(current.columns)) == rows(current), described
    assert any(changes.values()) or done == slidewise.Refreshed(False, 0, 0, 0), described
    assert planned.whole == done.whole, described
    assert 0 <= planned.share <= 1, described
    again = refresh.run()
    assert again.whole or again == slidewise.Refreshed(False, 0, 0, 0), described


def rows(table: DataFrame) -> list[Any]:
    return sorted(map(repr, table.collect()))
