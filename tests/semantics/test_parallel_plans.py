"""What stands above and below a window that several tasks may share."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from session import settings

from semantics.sharing import ALONE, SHARED

FEW = "SELECT * FROM (SELECT * FROM range(0, 1000, 1, 4)) TABLESAMPLE (10 PERCENT) REPEATABLE (1)"


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_an_aggregate_over_no_rows_has_one_row(spark: SparkSession, tmp_path: Path, adaptive: str) -> None:
    """Of a folder without files, which has no partitions."""
    empty = spark.read.schema("id bigint").parquet(str(tmp_path))
    windows = empty.selectExpr("sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) AS s")
    with settings(spark, {"spark.sql.shuffle.partitions": "1", "spark.sql.adaptive.enabled": adaptive}):
        assert [tuple(row) for row in windows.selectExpr("count(s)", "sum(s)").collect()] == [(0, None)]


def test_a_limit_counts_rows_and_no_estimates(spark: SparkSession) -> None:
    """Of one partition, whose rows are not shuffled and thus not counted before the limit is planned."""
    windows = f"SELECT id, sum(id) OVER (ORDER BY id ROWS 9 PRECEDING) FROM (SELECT /*+ COALESCE(1) */ * FROM ({FEW}))"
    with settings(spark, SHARED | {"spark.sql.adaptive.enabled": "true"}):
        assert len(spark.sql(windows).collect()) > 100
        assert len(spark.sql(f"{windows} LIMIT 100").collect()) == 100


@pytest.mark.parametrize("order", ["", "ORDER BY k, id"])
def test_an_operator_above_gets_its_order_from_one_sorted_partition(
    spark: SparkSession, tmp_path: Path, order: str
) -> None:
    """The rows come sorted by k, and both windows share a sort by k and id since Spark 4.3."""
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    spark.sql("SELECT id % 200 AS k, -id AS id FROM range(0, 20000, 1, 4)").write.parquet(a)
    spark.sql("SELECT id AS k FROM range(0, 200, 1, 2)").write.parquet(b)
    query = f"""SELECT /*+ MERGE(b) */ a.k, a.id, sum(a.id) OVER (ORDER BY a.k) AS s,
                  row_number() OVER (ORDER BY a.k, a.id) AS n
                FROM parquet.`{a}` a JOIN parquet.`{b}` b ON a.k = b.k {order}"""
    with settings(spark, {"spark.sql.adaptive.enabled": "true"}):
        on = [tuple(row) for row in spark.sql(query).collect()]
        with settings(spark, ALONE):
            off = [tuple(row) for row in spark.sql(query).collect()]
    assert (on if order else sorted(on)) == (off if order else sorted(off))
