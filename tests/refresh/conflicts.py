"""Refreshes of all rows of a table of Delta Lake or Iceberg to which another writer commits in the meantime.

Arguments: the format, a folder, and the jars, separated by commas. Prints one JSON object: what became of each refresh.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import slidewise

sys.path.insert(0, str(Path(__file__).parents[1]))
from deployment.lakes.program import rows, session

# Where the refresh waits for the other writer. A writer in the same session would wait for one that computes some rows.
CASES = {"before the query runs": "changes", "while the query runs": "query"}


def overtaken(spark: SparkSession, target: str, using: str, folder: Path, case: str) -> dict[str, Any]:
    folder.mkdir()

    def read(x: int) -> int:
        (folder / "begun").touch()
        while not (folder / "written").exists():
            time.sleep(0.01)
        return x

    def waiting(column: str, part: str) -> str:
        return f"read({column})" if CASES[case] == part else column

    def query(count: int) -> DataFrame:
        spark.range(0, count, 1, 1).selectExpr("id", "id % 3 AS k", "id AS x").createOrReplaceTempView("source")
        return spark.sql(f"SELECT id, k, sum({waiting('x', 'query')}) OVER () AS total FROM source")

    spark.udf.register("read", read, "bigint")
    (folder / "written").touch()
    spark.sql(f"CREATE TABLE {target} (id BIGINT, k BIGINT, total BIGINT) USING {using}")
    query(30).writeTo(target).append()
    changes = spark.range(30, 31).selectExpr("id", "id % 3 AS k", "id AS x").where(f"{waiting('x', 'changes')} > 0")
    refresh = slidewise.Refresh(query(31), target, keys="id", changes=changes)
    (folder / "begun").unlink(missing_ok=True)
    (folder / "written").unlink()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(refresh.run)
        while not (folder / "begun").exists() and not running.done():
            time.sleep(0.01)
        spark.sql(f"INSERT INTO {target} VALUES (99, 0, -1)")
        (folder / "written").touch()
    kept = spark.table(target).where("total = -1").count()
    again = refresh.run()
    return {
        "error": type(running.exception()).__name__,
        "kept": kept,
        "whole": again.whole,
        "same": rows(spark.table(target)) == rows(query(31)),
    }


def main(using: str, folder: str, jars: str) -> None:
    spark = session(folder, jars)
    spark.sparkContext.setLogLevel("ERROR")
    place = "default" if using == "delta" else "ice.lake"
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {place}")
    spark.sql(f"USE {place}")
    found = {
        case: overtaken(spark, f"stored_{number}", using, Path(folder, str(number)), case)
        for number, case in enumerate(CASES)
    }
    spark.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    main(*sys.argv[1:])
