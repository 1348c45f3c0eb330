"""Asks windows with Comet and Slidewise on and off. Arguments: a folder, Comet's jar, and the order of the extensions.

Prints JSON: for each query, the operators of the plan with both on, and whether all four answers are the same.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from pyspark.sql import SparkSession

from deployment.native.comet import settings

MOVING = "OVER (PARTITION BY k ORDER BY t, id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)"
LAST = "OVER (PARTITION BY k ORDER BY t, id)"
JOINED = "LATERAL (SELECT sum(r.x) AS a FROM t r WHERE r.k = l.k AND r.t BETWEEN l.t - 100 AND l.t) w"
QUERIES = {
    "moving": f"SELECT id, sum(x) {MOVING} AS a FROM t WHERE x > 10",
    "row by row": f"SELECT id, max_by(s, x) {MOVING} AS a FROM t",
    "range": "SELECT id, max(d) OVER (PARTITION BY k ORDER BY t RANGE 100 PRECEDING) AS a FROM t",
    "rank": "SELECT id, dense_rank() OVER (PARTITION BY k ORDER BY t) AS a FROM t",
    "running": "SELECT id, sum(x) OVER (PARTITION BY k ORDER BY t, id) AS a FROM t",
    "whole": "SELECT id, min(x) OVER (PARTITION BY k) AS a FROM t",
    "all columns": f"SELECT *, lag(s) {LAST} AS a FROM t",
    "computed": """SELECT id, sum(y) OVER (PARTITION BY m ORDER BY t, id) AS a
        FROM (SELECT *, k % 3 AS m, x + k AS y FROM t)""",
    "above": f"""SELECT k, sum(a), count(*) AS n
        FROM (SELECT k, avg(x) {MOVING} AS a FROM t) WHERE a > 20 GROUP BY k""",
    "two": f"SELECT id, sum(x) {MOVING} AS a, rank() OVER (PARTITION BY k ORDER BY d DESC) AS b FROM t",
    "no key": "SELECT id, sum(x) OVER (ORDER BY t, id ROWS 9 PRECEDING) AS a FROM t",
    "top": "SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY t, id) AS a FROM t) WHERE a <= 3",
    "join": f"SELECT l.id, w.a FROM t l, {JOINED} WHERE l.x < 500",
    "hopping": """SELECT window.start, k, sum(x) AS a FROM (SELECT *, timestamp_seconds(t) AS ts FROM t)
        GROUP BY window(ts, '1 minute', '10 seconds'), k""",
}


def main(folder: Path, comet: str, order: str) -> None:
    spark = (
        SparkSession.builder.master("local[2]")
        .config(map=settings(Path(comet), order))
        .config("spark.memory.offHeap.size", "1g")
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .getOrCreate()
    )
    spark.range(20_000).selectExpr(
        "id",
        "id % 7 AS k",
        "id * 48271 % 10007 AS t",
        "cast(id * 31 % 1000 AS int) AS x",
        "id / 8 AS d",
        "hex(id) AS s",
    ).write.parquet(str(folder / "t"))
    spark.read.parquet(str(folder / "t")).createOrReplaceTempView("t")
    print(json.dumps({name: report(spark, query) for name, query in QUERIES.items()}))
    spark.stop()


def report(spark: SparkSession, query: str) -> dict[str, object]:
    answers = []
    for slidewise in ("true", "false"):
        for comet in ("true", "false"):
            spark.conf.set("spark.slidewise.enabled", slidewise)
            spark.conf.set("spark.comet.enabled", comet)
            frame = spark.sql(query)
            answers.append(sorted(map(tuple, frame.collect())))
            if slidewise == comet == "true":
                plan = str(frame._jdf.queryExecution().executedPlan())
    operators = [re.sub(r"^[^A-Za-z]*(\(\d+\) )?", "", line) for line in plan.splitlines()]
    return {
        "same": all(answer == answers[0] for answer in answers),
        "operators": [match[0] for line in operators if (match := re.match(r"\w+", line))],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
