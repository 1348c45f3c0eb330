"""Writes checkpoints with the installed Slidewise and PySpark: `python tests/streams/checkpoints/make.py`.

Each query, format and Spark minor has a folder of its own. A checkpoint that has been released stays as it is. Names of
queries limit what is written: `make.py hopping`.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import pyspark
from pyspark.sql import DataFrame, SparkSession
from session import with_slidewise

from streams.checkpoints import distinct, hopping, multisets, stream
from streams.checkpoints.stream import BEFORE, SETTINGS, STORES, arrive, begin
from streams.run import run

MINOR = ".".join(pyspark.__version__.split(".")[:2])
# A checkpoint names the files that it has read; these names say nothing of the machine.
WORK = Path("/tmp/stream")


def answered(emitted: DataFrame) -> list[int]:
    return sorted(row[0] for row in emitted.select("id").collect())


def windows(emitted: DataFrame) -> list[list[object]]:
    return sorted(map(list, emitted.selectExpr("k", "CAST(start AS LONG)").collect()), key=str)


# By name: the folder, the query, the file beside a checkpoint that lists what has come out, and its content.
QUERIES = {
    "stream": (f"v3-spark-{MINOR}", stream.SQL, "answered.json", answered),
    "multisets": (f"multisets-v3-spark-{MINOR}", multisets.SQL, "answered.json", answered),
    "distinct": (f"distinct-v3-spark-{MINOR}", distinct.SQL, "answered.json", answered),
    "hopping": (f"hopping-v3-spark-{MINOR}", hopping.SQL, "emitted.json", windows),
}


def main(names: list[str]) -> None:
    builder = with_slidewise(SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false"))
    spark = builder.config(map=SETTINGS).config("spark.sql.warehouse.dir", str(WORK / "warehouse")).getOrCreate()
    for name in names:
        folder, sql, file, content = QUERIES[name]
        for store, provider in STORES.items():
            shutil.rmtree(WORK, ignore_errors=True)
            spark.conf.set("spark.sql.streaming.stateStore.providerClass", provider)
            feed = begin(WORK / "in")
            arrive(feed, BEFORE)
            feed.stream(spark).withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
            run(spark.sql(sql), WORK / "out", WORK / "checkpoint")
            kept = Path(__file__).parent / folder / store
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(WORK / "checkpoint", kept, ignore=shutil.ignore_patterns(".*.crc"))
            (kept / file).write_text(json.dumps(content(spark.read.parquet(str(WORK / "out")))) + "\n")
    spark.stop()
    shutil.rmtree(WORK)


if __name__ == "__main__":
    main(sys.argv[1:] or [*QUERIES])
