"""An archive of Spark's classes as the JVM has loaded and checked them, with which a session starts faster.

`make test` runs this once for each PySpark. A JVM that does not fit the archive ignores it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

ARCHIVE = Path(__file__).resolve().parents[1] / ".build" / f"classes-{pyspark.__version__}.jsa"

# Most queries of tests run once: a JVM without its second compiler spends a quarter less on them. Such a JVM reserves
# 48 MB for compiled code, which a session of a thousand tests fills: it then drops methods and compiles them again.
FAST = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"

# What most tests do; the JVM archives the classes that this loads.
PROGRAM = """
from pathlib import Path
import sys
from pyspark.sql import SparkSession
folder = sys.argv[1]
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.sql.warehouse.dir", folder + "/warehouse")
    .getOrCreate()
)
over = "OVER (PARTITION BY id % 3 ORDER BY id ROWS 2 PRECEDING)"
windows = f"SELECT id, timestamp_seconds(id) AS ts, sum(id) {over} AS s, collect_list(id) {over} AS l FROM range(99)"
spark.sql(windows).write.parquet(folder + "/in")
table = spark.read.parquet(folder + "/in")
table.groupBy("s").count().orderBy("s").collect()
spark.createDataFrame([(1, "a")], "i int, s string").collect()
stream = spark.readStream.schema(table.schema).parquet(folder + "/in").withWatermark("ts", "1 second")
counts = stream.groupBy("ts").count().writeStream.option("checkpointLocation", folder + "/checkpoint")
counts.format("parquet").trigger(availableNow=True).start(folder + "/out").awaitTermination()
spark.stop()
"""


def options() -> str:
    """The JVM's options, with the archive if there is one, and without warnings of a JVM that it does not fit."""
    archive = f' "-XX:SharedArchiveFile={ARCHIVE}" -Xlog:disable -Xlog:all=error:stderr' if ARCHIVE.is_file() else ""
    return FAST + archive


def main() -> None:
    ARCHIVE.parent.mkdir(exist_ok=True)
    made = ARCHIVE.with_suffix(".new")
    with tempfile.TemporaryDirectory() as folder:
        # The output ends when the JVM does, which then has written the archive.
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, folder],
            env=os.environ | {"SPARK_SUBMIT_OPTS": f'{FAST} "-XX:ArchiveClassesAtExit={made}"'},
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
        )
    if done.returncode == 0 and made.is_file():
        made.replace(ARCHIVE)
    else:
        print(f"The tests run without an archive of classes:\n{done.stderr[-1000:]}")


if __name__ == "__main__":
    main()
