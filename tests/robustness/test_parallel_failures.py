"""Windows that several tasks share: failed and cancelled queries give everything back, whichever stage runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from session import settings

from robustness.test_failures import assert_all_is_given_back, assert_ends_when_cancelled

SHARED = {"spark.slidewise.parallel.minRows": "1000", "spark.sql.shuffle.partitions": "4"}


@pytest.fixture(autouse=True)
def shared(spark: SparkSession) -> Iterator[None]:
    with settings(spark, SHARED):
        yield


# Each takes minutes in one of its stages: the child's rows, the aggregates between the cuts, the results.
SLOW = "(SELECT id, {} AS x FROM range(0, {}, 1, 4))"
LONG = {
    "child": f"SELECT max(id) OVER (ORDER BY x ROWS 9 PRECEDING) AS m FROM {SLOW.format('length(repeat(sha2(repeat(id, 2000), 512), 9))', 3_000_000)}",  # noqa: E501
    "aggregates": f"SELECT max(sha2(repeat(id, 2000), 512)) OVER (ORDER BY x ROWS UNBOUNDED PRECEDING) AS m FROM {SLOW.format('-id', 3_000_000)}",  # noqa: E501
    "results": f"SELECT listagg(cast(id AS string)) OVER (ORDER BY x ROWS BETWEEN 1000 PRECEDING AND 1000 FOLLOWING) AS m FROM {SLOW.format('-id', 1_000_000)}",  # noqa: E501
}


@pytest.mark.parametrize("long", LONG.values(), ids=LONG)
def test_a_query_that_is_cancelled(spark: SparkSession, long: str) -> None:
    assert_ends_when_cancelled(spark, f"SELECT max(length(m)) FROM ({long})", after=4)


@pytest.mark.parametrize("row", [0, 30_000, 99_999])
@pytest.mark.parametrize("frame", ["ROWS 99 PRECEDING", "RANGE UNBOUNDED PRECEDING"])
def test_a_task_that_fails(spark: SparkSession, row: int, frame: str) -> None:
    sql = f"SELECT sum(if(id = {row}, raise_error('no'), id)) OVER (ORDER BY id {frame}) FROM range(0, 100000, 1, 4)"
    with pytest.raises(Exception, match="no"):
        spark.sql(sql).collect()
    assert_all_is_given_back(spark)


def test_an_iterator_that_is_not_read_to_its_end(spark: SparkSession) -> None:
    query = "SELECT id, sum(id) OVER (ORDER BY -id ROWS 9000 PRECEDING) FROM range(0, 100000, 1, 4)"
    rows = spark.sql(query).toLocalIterator()
    assert next(iter(rows))[0] == 99_999
    del rows
    assert len(spark.sql(f"{query} LIMIT 7").collect()) == 7
    assert_all_is_given_back(spark)
