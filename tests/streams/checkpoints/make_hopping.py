"""Writes checkpoints of hopping windows with the installed Slidewise: `python checkpoints/make_hopping.py`.

Each format and Spark minor has a folder of its own. A checkpoint that has been released stays as it is.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import pyspark
from pyspark.sql import SparkSession
from session import with_slidewise

from streams.checkpoints.hopping import BEFORE, SETTINGS, SQL, STORES, arrive, begin
from streams.run import run

FORMAT = f"hopping-v1-spark-{'.'.join(pyspark.__version__.split('.')[:2])}"
# A checkpoint names the files that it has read; these names say nothing of the machine.
WORK = Path("/tmp/stream")


def main() -> None:
    builder = with_slidewise(SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false"))
    spark = builder.config(map=SETTINGS).config("spark.sql.warehouse.dir", str(WORK / "warehouse")).getOrCreate()
    for store, provider in STORES.items():
        shutil.rmtree(WORK, ignore_errors=True)
        spark.conf.set("spark.sql.streaming.stateStore.providerClass", provider)
        feed = begin(WORK / "in")
        arrive(feed, BEFORE)
        feed.stream(spark).withWatermark("ts", "10 seconds").createOrReplaceTempView("events")
        run(spark.sql(SQL), WORK / "out", WORK / "checkpoint")
        kept = Path(__file__).parent / FORMAT / store
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(WORK / "checkpoint", kept, ignore=shutil.ignore_patterns(".*.crc"))
        emitted = spark.read.parquet(str(WORK / "out")).selectExpr("k", "CAST(start AS LONG)").collect()
        (kept / "emitted.json").write_text(json.dumps(sorted(map(list, emitted), key=str)) + "\n")
    spark.stop()
    shutil.rmtree(WORK)


if __name__ == "__main__":
    main()
