"""Windows above and below barrier stages, whose RDDs must all have as many partitions as the stage has tasks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pandas as pd
import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession
from session import settings

import slidewise
from semantics.sharing import ALONE

# A Python worker does not know the modules of the tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

# More ranges than the two slots of the session.
MANY = {"spark.slidewise.parallel.minRows": "500", "spark.sql.shuffle.partitions": "7"}
ROWS = 4_000
WINDOWS = {
    "no keys": "SELECT id, sum(id) OVER (ORDER BY id) AS t FROM {rows}",
    "a whole table": "SELECT id, sum(id) OVER () AS t FROM {rows}",
    "keys": "SELECT id, sum(id) OVER (PARTITION BY id % 2 ORDER BY id ROWS 9 PRECEDING) AS t FROM {rows}",
    "groups": "SELECT id, sum(id) OVER (PARTITION BY id % 2) AS t FROM {rows}",
    "first rows": "SELECT id, bigint(n) AS t FROM (SELECT id, row_number() OVER (PARTITION BY id % 2 ORDER BY id) AS n FROM {rows}) WHERE n < 99",  # noqa: E501
    "hopping": "SELECT unix_micros(w.start) AS id, t FROM (SELECT window(timestamp_micros(id), '90 microseconds', '30 microseconds') AS w, sum(id) AS t FROM {rows} GROUP BY 1)",  # noqa: E501
}
# Returns 300 rows.
_JOIN = """SELECT l.id, ({value} FROM {{rows}} e WHERE {keys} e.id > l.id - 500 AND e.id <= l.id{last}) AS t
    FROM (SELECT * FROM {{rows}} WHERE id < 300) l"""
JOINS = {
    "window join": _JOIN.format(value="SELECT sum(e.id)", keys="e.id % 50 = l.id % 50 AND", last=""),
    "window join without keys": _JOIN.format(value="SELECT sum(e.id)", keys="", last=""),
    "as-of join": _JOIN.format(
        value="SELECT e.id", keys="e.id % 50 = l.id % 50 AND", last=" ORDER BY e.id DESC LIMIT 1"
    ),
}


def pandas(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for batch in batches:
        yield batch.assign(t=batch.t + 1)


def arrow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


BARRIERS: dict[str, Callable[[DataFrame], int]] = {
    "pandas": lambda rows: rows.mapInPandas(pandas, "id long, t long", barrier=True).count(),
    "arrow": lambda rows: rows.mapInArrow(arrow, "id long, t long", barrier=True).count(),
    # As XGBoost trains.
    "rdd": lambda rows: rows.rdd.barrier().mapPartitions(lambda found: found).count(),
    "both": lambda rows: rows.mapInPandas(pandas, "id long, t long").rdd.barrier().mapPartitions(list).count(),
}


@pytest.mark.parametrize("window", WINDOWS)
def test_a_barrier_stage_above(spark: SparkSession, window: str) -> None:
    # Spark, too, has a task for each partition of a shuffle by keys.
    few = {} if window in ("no keys", "a whole table") else {"spark.sql.shuffle.partitions": "2"}
    sql = WINDOWS[window].format(rows=f"range(0, {ROWS}, 1, 4)")
    for adaptive in ["true", "false"]:
        with settings(spark, MANY | few | {"spark.sql.adaptive.enabled": adaptive}):
            assert slidewise.explain(spark.sql(sql)).first().slidewise
            for name, count in BARRIERS.items():
                found = count(spark.sql(sql))
                with settings(spark, ALONE):
                    assert found == count(spark.sql(sql)), name


@pytest.mark.parametrize("join", JOINS)
def test_a_barrier_stage_above_a_join(spark: SparkSession, join: str) -> None:
    """A join returns each left row once."""
    sql = JOINS[join].format(rows=f"range(0, {ROWS}, 1, 4)")
    for skewed in ["detected", "expected"]:
        sharing = {"spark.sql.shuffle.partitions": "2", "spark.slidewise.parallel.skewedKeys": skewed}
        with settings(spark, MANY | sharing):
            assert slidewise.explain(spark.sql(sql)).first().slidewise
            for name, count in BARRIERS.items():
                assert count(spark.sql(sql)) == 300, name


@pytest.mark.parametrize("join", JOINS)
def test_a_barrier_stage_below_a_join(spark: SparkSession, join: str) -> None:
    rows = spark.range(0, ROWS, 1, 2).selectExpr("id", "id AS t")
    rows.mapInPandas(pandas, "id long, t long", barrier=True).createOrReplaceTempView("barriers")
    sql = f"SELECT count(*), sum(t) FROM ({JOINS[join]})"
    with settings(spark, MANY):
        assert slidewise.explain(spark.sql(sql.format(rows="barriers"))).first().slidewise
        found = spark.sql(sql.format(rows="barriers")).collect()
        assert found == spark.sql(sql.format(rows=f"range(0, {ROWS}, 1, 2)")).collect()


@pytest.mark.parametrize("window", WINDOWS)
def test_a_barrier_stage_below(spark: SparkSession, window: str) -> None:
    rows = spark.range(0, ROWS, 1, 2).selectExpr("id", "id AS t")
    rdd = rows.rdd.barrier().mapPartitions(lambda found: found)
    for below in [
        rows.mapInPandas(pandas, "id long, t long", barrier=True),
        spark.createDataFrame(rdd, "id long, t long"),
    ]:
        below.createOrReplaceTempView("barriers")
        sql = f"SELECT count(*), sum(t) FROM ({WINDOWS[window].format(rows='barriers')})"
        with settings(spark, MANY):
            found = spark.sql(sql).collect()
            with settings(spark, ALONE):
                assert found == spark.sql(sql).collect()
