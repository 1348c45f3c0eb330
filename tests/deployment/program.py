"""A user's program: a moving window over a shuffle, and what its plan says. Also pasted into shells."""

from __future__ import annotations

from pyspark.sql import SparkSession

QUERY = """SELECT sum(s) AS s, sum(m) AS m FROM (
  SELECT sum(id) OVER w AS s, max_by(id, -id) OVER w AS m FROM range(0, 2000, 1, 4)
  WINDOW w AS (PARTITION BY id % 7 ORDER BY id ROWS BETWEEN 99 PRECEDING AND CURRENT ROW))"""


def report(spark: SparkSession) -> str:
    rows = [tuple(row) for row in spark.sql(QUERY).collect()]
    plan = "\n".join(row[0] for row in spark.sql(f"EXPLAIN {QUERY}").collect())
    return f"rows {rows}, SlidingWindow {plan.count('SlidingWindow [')}"


if __name__ == "__main__":
    print(report(SparkSession.builder.getOrCreate()), flush=True)
