"""Run by the tests of kills in a process of its own: folder, master, settings. Goes on with all queries there are.

Each query reads the same files, in small batches; each has a checkpoint and an output of its own. Says `started`, and
`done` when all have answered all rows.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession
from session import with_slidewise

from streams.killed import QUERIES, SCHEMA, provider

folder, master, more = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
spark = with_slidewise(
    SparkSession.builder.master(master)
    .config("spark.ui.enabled", "false")
    .config("spark.driver.memory", "1g")
    .config("spark.executor.memory", "512m")
    .config("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    .config("spark.sql.session.timeZone", "UTC")
    # Executors are killed more often than a cluster would lose them.
    .config("spark.task.maxFailures", "1000")
    .config("spark.stage.maxConsecutiveAttempts", "1000")
    .config("spark.deploy.maxExecutorRetries", "-1")
    .config("spark.local.dir", str(folder / "local"))
    .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
    .config(map=dict(word.split("=", 1) for word in more))
).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
print("started", flush=True)

running = []
for name, (sql, store, partitions) in QUERIES.items():
    session = spark.newSession()
    session.conf.set("spark.sql.streaming.stateStore.providerClass", provider(store))
    session.conf.set("spark.sql.streaming.stateStore.minDeltasForSnapshot", "3")
    session.conf.set("spark.sql.shuffle.partitions", partitions)
    rows = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    rows.withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
    running.append(
        session.sql(sql)
        .writeStream.format("parquet")
        .option("checkpointLocation", str(folder / "checkpoints" / name))
        .trigger(availableNow=True)
        .start(str(folder / "out" / name))
    )
for query in running:
    query.awaitTermination()
print("done", flush=True)
