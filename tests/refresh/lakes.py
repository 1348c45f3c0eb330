"""Random refreshes whose source and target are tables of Delta Lake or Iceberg.

Arguments: the format, a folder, the jars, separated by commas, a seed and the number of queries. Prints one JSON
object: the number of refreshes, and what went wrong.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import slidewise

sys.path.insert(0, str(Path(__file__).parents[1]))
from deployment.lakes.program import session

from refresh.queries import random_query
from refresh.tables import GENERATED, SCHEMA, Event, Log, frame

CHANGES = 3
COLUMNS = f"{SCHEMA}, day date, y int, mo int, part bigint"
LAYOUTS = ("p", "p", "day", "y, mo")


def rows(table: DataFrame) -> list[Any]:
    return sorted(map(repr, table.collect()))


def version(spark: SparkSession, table: str, using: str) -> int:
    """The newest version of a table, or its snapshot."""
    if using == "delta":
        return int(spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").head().version)
    found = spark.sql(f"SELECT snapshot_id FROM {table}.refs WHERE name = 'main'").head()
    return int(found.snapshot_id)


def write(spark: SparkSession, table: str, changed: list[Event], current: dict[int, Event]) -> None:
    """Brings the rows that changed to their current values, by a MERGE."""
    changed_ids = {row.id for row in changed}
    now = [current[number] for number in changed_ids if number in current]
    gone = [(number,) for number in changed_ids if number not in current]
    frame(spark, now).createOrReplaceTempView("upserts")
    spark.createDataFrame(gone, "id bigint").createOrReplaceTempView("gone")
    spark.sql(f"""MERGE INTO {table} t USING upserts s ON t.id = s.id
                  WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    spark.sql(f"MERGE INTO {table} t USING gone s ON t.id = s.id WHEN MATCHED THEN DELETE")


def refreshes(spark: SparkSession, using: str, seed: int, index: int, found: dict[str, Any]) -> None:
    rng = random.Random(f"{seed} {index}")
    query = random_query(rng)
    logs = {name: Log(rng, rng.choice([1, 30, 120])) for name in query.tables}
    place = "default" if using == "delta" else "ice.lake"
    tables, target = {name: f"{place}.{name}_{index}" for name in logs}, f"{place}.stored_{index}"
    properties = "TBLPROPERTIES (delta.enableChangeDataFeed = true)" if using == "delta" else ""
    for name, log in logs.items():
        layout = rng.choice(["", "PARTITIONED BY (day)"])
        spark.sql(f"CREATE TABLE {tables[name]} ({COLUMNS}) USING {using} {layout} {properties}")
        log.table(spark).writeTo(tables[name]).append()
        spark.sql(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM {tables[name]}")
    of_result = spark.sql(query.sql).columns
    layouts = [f"PARTITIONED BY ({layout})" for layout in LAYOUTS if set(layout.split(", ")) <= set(of_result)]
    partitions = rng.choice(["", *layouts])
    generated = rng.choice([None, dict.fromkeys(logs, GENERATED)])
    spark.sql(f"CREATE TABLE {target} USING {using} {partitions} AS {query.sql}")
    for _ in range(CHANGES):
        names = rng.sample(query.tables, rng.randint(1, len(logs)))
        before = {name: version(spark, tables[name], using) for name in names}
        for name in names:
            write(spark, tables[name], logs[name].change(), logs[name].rows)
            spark.sql(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM {tables[name]}")
        current = spark.sql(query.sql)
        changes = {name: slidewise.changes_since(spark, tables[name], before[name]) for name in names}
        refresh = slidewise.Refresh(current, target, keys=query.keys, changes=changes, generated=generated)
        done = refresh.run()
        written = version(spark, target, using)
        again = refresh.run()
        found["refreshes"] += 1
        found["whole"] += done.whole
        if rows(spark.table(target).select(current.columns)) != rows(current):
            found["wrong"].append(f"{index}: {query.sql}")
        if not done.whole and (
            again != slidewise.Refreshed(False, 0, 0, 0) or version(spark, target, using) != written
        ):
            found["written twice"].append(f"{index}: {query.sql} {again}")


def main(using: str, folder: str, jars: str, seed: str, queries: str) -> None:
    spark = session(folder, jars)
    spark.sparkContext.setLogLevel("ERROR")
    spark.conf.set("spark.slidewise.refresh.maxShare", "1")
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {'default' if using == 'delta' else 'ice.lake'}")
    spark.createDataFrame([(0, 5), (1, 15), (2, 25)], "j int, g int").createOrReplaceTempView("s")
    found: dict[str, Any] = {"refreshes": 0, "whole": 0, "wrong": [], "written twice": []}
    for index in range(int(queries)):
        refreshes(spark, using, int(seed), index, found)
    spark.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    main(*sys.argv[1:])
