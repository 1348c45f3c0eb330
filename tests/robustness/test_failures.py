"""Failed, cancelled and unfinished tasks give their memory and files back; the session goes on."""

from __future__ import annotations

import time

import pytest
from pyspark import InheritableThread
from pyspark.sql import SparkSession
from session import running_tasks

from robustness.spills import files_left

MOVING = "OVER (ORDER BY id ROWS BETWEEN 20000 PRECEDING AND 20000 FOLLOWING)"


def assert_all_is_given_back(spark: SparkSession) -> None:
    """No files are left, no task still runs, and the next query has its answer."""
    deadline = time.monotonic() + 20
    while (running_tasks(spark) or files_left(spark)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert running_tasks(spark) == 0
    assert files_left(spark) == []
    assert spark.sql("SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM range(3)").count() == 3


def assert_ends_when_cancelled(spark: SparkSession, long: str, after: float) -> None:
    """Cancels a query that runs for minutes some seconds after its first task: it ends, and gives everything back."""
    caught: list[Exception] = []

    def query() -> None:
        spark.sparkContext.setJobGroup("cancelled", "a query that is cancelled", interruptOnCancel=True)
        try:
            spark.sql(long).collect()
        except Exception as error:
            caught.append(error)

    thread = InheritableThread(target=query, session=spark)
    thread.start()
    deadline = time.monotonic() + 60
    while not running_tasks(spark) and time.monotonic() < deadline:
        time.sleep(0.2)
    time.sleep(after)
    assert thread.is_alive()
    spark.sparkContext.cancelJobGroup("cancelled")
    thread.join(60)
    assert not thread.is_alive()
    assert len(caught) == 1
    assert "cancelled" in str(caught[0])
    assert_all_is_given_back(spark)


@pytest.mark.parametrize("row", [0, 30_000, 99_999])
def test_a_task_that_fails(spark: SparkSession, row: int) -> None:
    sql = f"SELECT sum(if(id = {row}, raise_error('no'), id)) {MOVING}, collect_list(id) OVER (ORDER BY id ROWS 9 PRECEDING) FROM range(100000)"  # noqa: E501
    with pytest.raises(Exception, match="no"):
        spark.sql(sql).collect()
    assert_all_is_given_back(spark)


def test_a_task_that_fails_above_the_operator(spark: SparkSession) -> None:
    sql = f"SELECT if(s > 1000000, raise_error('no'), s) FROM (SELECT sum(id) {MOVING} AS s FROM range(100000))"
    with pytest.raises(Exception, match="no"):
        spark.sql(sql).collect()
    assert_all_is_given_back(spark)


def test_a_task_that_is_cancelled(spark: SparkSession) -> None:
    # Long work in one task, none of it on disk.
    long = """SELECT max(length(s)) FROM (
        SELECT listagg(cast(id AS string)) OVER (ORDER BY id ROWS BETWEEN 1000 PRECEDING AND 1000 FOLLOWING) AS s
        FROM range(0, 1000000, 1, 1))"""
    assert_ends_when_cancelled(spark, long, after=2)


def test_an_iterator_that_is_not_read_to_its_end(spark: SparkSession) -> None:
    rows = spark.sql(f"SELECT id, sum(id) {MOVING} FROM range(200000)").toLocalIterator()
    assert next(iter(rows))[0] == 0
    del rows
    assert len(spark.sql(f"SELECT id, sum(id) {MOVING} FROM range(200000) LIMIT 7").collect()) == 7
    assert_all_is_given_back(spark)


def test_rows_of_many_megabytes(spark: SparkSession) -> None:
    sql = """SELECT max(length(m)), min(length(m)), count(*) FROM (
      SELECT max(s) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS m
      FROM (SELECT id, repeat(chr(97 + id % 26), cast(5000000 + id AS int)) AS s FROM range(12)))"""
    assert tuple(spark.sql(sql).collect()[0]) == (5_000_011, 5_000_001, 12)
    assert_all_is_given_back(spark)
