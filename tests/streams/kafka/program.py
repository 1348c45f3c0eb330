"""Run by test_kafka in a process of its own: folder, broker, the connector's jars. From a topic into another, and back.

Prints a report as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from session import with_slidewise

folder, servers, jars = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
spark = with_slidewise(
    SparkSession.builder.master("local[2]")
    .config("spark.jars", jars)
    .config("spark.ui.enabled", "false")
    .config("spark.driver.memory", "1g")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.local.dir", str(folder / "local"))
    .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")

SQL = """SELECT id, sum(n) OVER w AS s, count(*) OVER w AS c, lag(n) OVER (PARTITION BY k ORDER BY ts) AS before
         FROM events
         WINDOW w AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 10 SECONDS PRECEDING AND CURRENT ROW)"""
FIELDS = "id BIGINT, k STRING, ts TIMESTAMP, n BIGINT"


def produce(begin: int, end: int) -> None:
    rows = spark.range(begin, end, 1, 1).selectExpr(
        "id", "concat('key ', id % 3) AS k", "timestamp_seconds(1700000000 + id * 0.5) AS ts", "id * 31 % 101 AS n"
    )
    written = rows.selectExpr("k AS key", "to_json(struct(*)) AS value").write.format("kafka")
    written.option("kafka.bootstrap.servers", servers).option("topic", "events").save()


def events(topic: DataFrame) -> DataFrame:
    return topic.selectExpr(f"from_json(cast(value AS STRING), '{FIELDS}') AS e").select("e.*")


def consume() -> int:
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers).option("subscribe", "events")
    topic = source.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", 60).load()
    events(topic).withWatermark("ts", "10 minutes").createOrReplaceTempView("events")
    query = (
        spark.sql(SQL)
        .selectExpr("cast(id AS STRING) AS key", "to_json(struct(*)) AS value")
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", servers)
        .option("topic", "answers")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return sum(progress["numInputRows"] for progress in query.recentProgress)


def table(topic: str) -> DataFrame:
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", servers)
    return reader.option("subscribe", topic).load()


produce(0, 200)
consumed = consume()
produce(200, 300)
produce(100_000, 100_001)
consumed += consume()

events(table("events")).where("id < 100000").createOrReplaceTempView("events")
spark.conf.set("spark.slidewise.enabled", "false")
expected = sorted(json.dumps(row.asDict()) for row in spark.sql(SQL).collect())
answers = table("answers").selectExpr(
    "from_json(cast(value AS STRING), 'id BIGINT, s BIGINT, c BIGINT, before BIGINT') a"
)
got = sorted(json.dumps(row.asDict()) for row in answers.select("a.*").collect())
print(json.dumps({"consumed": consumed, "answers": len(got), "equal": got == expected}))
