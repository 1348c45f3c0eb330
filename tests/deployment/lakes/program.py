"""Windows over tables of Delta Lake or Iceberg, in batches and streams, with both extensions on: what they return.

Arguments: the format, a folder, and the jars, separated by commas. Prints one JSON object: what each check found.
Streams are checked from Spark 4.0 on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import slidewise

# By a part of the name of their jar.
EXTENSIONS = {
    "delta-spark": "io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
}
LAST = "PARTITION BY sensor ORDER BY time ROWS BETWEEN 19 PRECEDING AND CURRENT ROW"
OVER = f"""SELECT sensor, time, sum(value) OVER last AS total, max_by(time, value) OVER last AS peak,
  count(DISTINCT value) OVER last AS kinds, rank() OVER (PARTITION BY sensor ORDER BY value) AS rank,
  lag(value) OVER (PARTITION BY sensor ORDER BY time) AS before, avg(value) OVER (ORDER BY time) AS running
  FROM {{table}} WINDOW last AS ({LAST})"""
HOPPING = """SELECT sensor, window.start AS start, count(*) AS n, sum(value) AS total
  FROM {table} GROUP BY sensor, window(time, '10 minutes', '1 minute')"""
NEWEST = """SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY sensor ORDER BY time DESC) AS place FROM {table})
  WHERE place <= 2"""
OF_STREAM = f"SELECT sensor, time, sum(value) OVER ({LAST}) AS total FROM {{table}}"
MERGE = f"""MERGE INTO {{target}} t USING (SELECT sensor, time, sum(value) OVER ({LAST}) AS total FROM {{table}}) s
  ON t.sensor = s.sensor AND t.time = s.time
  WHEN MATCHED THEN UPDATE SET total = s.total WHEN NOT MATCHED THEN INSERT *"""


def session(folder: str, jars: str) -> SparkSession:
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.jars": jars,
        "spark.local.dir": f"{folder}/local",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.extensions": ",".join(name for jar, name in EXTENSIONS.items() if jar in jars),
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": f"{folder}/iceberg",
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return slidewise.configure(builder).getOrCreate()


def rows(df: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in df.collect())


def switched(spark: SparkSession) -> Iterator[bool]:
    for on in (True, False):
        spark.conf.set("spark.slidewise.enabled", on)
        yield on
    spark.conf.set("spark.slidewise.enabled", True)


def query(spark: SparkSession, sql: str) -> dict[str, Any]:
    on = spark.sql(sql)
    return {"slidewise": [row.slidewise for row in slidewise.explain(on).collect()], "rows": len(rows(on))}


def same(spark: SparkSession, sql: str) -> bool:
    """Whether Spark's operators return the same, for a query that Spark runs."""
    first, second = (rows(spark.sql(sql)) for _ in switched(spark))
    return first == second


def merged(spark: SparkSession, table: str, using: str, target: str) -> dict[str, Any]:
    """The target after a MERGE into half of its rows, with Slidewise on and off."""
    found = []
    plans = []
    for _ in switched(spark):
        spark.sql(f"DROP TABLE IF EXISTS {target}")
        half = f"SELECT sensor, time, -1L AS total FROM {table} WHERE sensor = 0"
        spark.sql(f"CREATE TABLE {target} USING {using} AS {half}")
        before = executions(spark)
        spark.sql(MERGE.format(target=target, table=table))
        plans.append(any("SlidingWindow" in plan for plan in executions(spark)[len(before) :]))
        found.append(rows(spark.table(target)))
    return {"rows": len(found[0]), "same": found[0] == found[1], "planned": plans}


def written(spark: SparkSession, table: str, using: str, target: str) -> dict[str, Any]:
    """A table of a window's rows by INSERT OVERWRITE, less the rows whose rank another window finds, on and off."""
    ranked = f"SELECT sensor, time, rank() OVER (PARTITION BY sensor ORDER BY time) AS place FROM {table}"
    found = []
    for _ in switched(spark):
        spark.sql(f"DROP TABLE IF EXISTS {target}")
        spark.sql(f"CREATE TABLE {target} (sensor BIGINT, time TIMESTAMP, total BIGINT) USING {using}")
        spark.sql(f"INSERT OVERWRITE {target} {OF_STREAM.format(table=table)}")
        spark.sql(f"""MERGE INTO {target} t USING ({ranked}) s ON t.sensor = s.sensor AND t.time = s.time
                      WHEN MATCHED AND s.place <= 10 THEN DELETE
                      WHEN MATCHED THEN UPDATE SET total = total - s.place""")
        found.append(rows(spark.table(target)))
    return {"rows": len(found[0]), "same": found[0] == found[1]}


def executions(spark: SparkSession) -> list[str]:
    """The physical plans of all SQL executions of the session so far."""
    listed = spark._jsparkSession.sharedState().statusStore().executionsList()
    return [str(listed.apply(at).physicalPlanDescription()) for at in range(listed.size())]


def streamed(spark: SparkSession, table: str, using: str, target: str, sql: str, folder: str) -> dict[str, Any]:
    """Whether a stream from the table into another one writes what the query over the table returns, up to the end."""
    events = spark.readStream.format(using).table(table).withWatermark("time", "0 seconds")
    events.createOrReplaceTempView("events")
    windows = spark.sql(sql.format(table="events"))
    writer = windows.writeStream.format(using).outputMode("append").option("checkpointLocation", folder)
    if using == "iceberg":
        spark.createDataFrame([], windows.schema).writeTo(target).create()
    writer.trigger(availableNow=True).toTable(target).awaitTermination()
    written = rows(spark.table(target))
    expected = rows(spark.sql(sql.format(table=table)))
    return {"all": len(expected), "missing": len(expected) - len(written), "wrong": len(set(written) - set(expected))}


def main(using: str, folder: str, jars: str) -> None:
    spark = session(folder, jars)
    spark.sparkContext.setLogLevel("ERROR")
    catalog = "default" if using == "delta" else "ice.lake"
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {catalog}")
    table = f"{catalog}.readings"
    spark.sql(f"CREATE TABLE {table} (sensor BIGINT, time TIMESTAMP, value BIGINT) USING {using}")
    for part in range(2):
        spark.sql(f"""INSERT INTO {table} SELECT id % 3, timestamp_seconds(1767225600 + id * 30), id * 7 % 11
                      FROM range({part * 1000}, {part * 1000 + 1000}, 1, 2)""")
    over, hopping = OVER.format(table=table), HOPPING.format(table=table)
    found = {
        "doctor": [one.what for one in slidewise.doctor(spark).findings if one.level in ("warning", "problem")],
        "over": query(spark, over) | {"same": same(spark, over.replace("DISTINCT ", ""))},
        "hopping": query(spark, hopping) | {"same": same(spark, hopping)},
        "newest": query(spark, NEWEST.format(table=table)) | {"same": same(spark, NEWEST.format(table=table))},
        "merge": merged(spark, table, using, f"{catalog}.merged"),
        "reading back": query(spark, OF_STREAM.format(table=f"{catalog}.merged").replace("value", "total")),
        "overwritten, then merged": written(spark, table, using, f"{catalog}.written"),
    }
    if spark.version >= "4":
        found |= streams(spark, catalog, table, using, folder)
    spark.stop()
    print(json.dumps(found))


def streams(spark: SparkSession, catalog: str, table: str, using: str, folder: str) -> dict[str, Any]:
    return {
        "over a stream": streamed(spark, table, using, f"{catalog}.rolling", OF_STREAM, f"{folder}/c1"),
        "hopping over a stream": streamed(spark, table, using, f"{catalog}.hopped", HOPPING, f"{folder}/c2"),
    }


if __name__ == "__main__":
    Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    main(*sys.argv[1:])
