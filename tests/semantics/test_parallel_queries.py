"""Windows that several tasks share, in whole queries: what is below them and above them."""

from __future__ import annotations

import re

import pytest
from cases import crossed
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from session import settings
from sparks import SPARK

import slidewise
from semantics.conftest import Fails
from semantics.sharing import SHARED, Sharing, named, tasks_of

H = "(SELECT id, pmod(hash(id), 1000) AS h FROM range(0, 1500, 1, 4))"
WINDOW = f"SELECT id, h, sum(id) OVER (ORDER BY h, id ROWS 9 PRECEDING) AS s FROM {H}"


BELOW = {
    "no rows": "(SELECT * FROM range(0, 1500, 1, 4) WHERE id < 0)",
    "one row": "(SELECT * FROM range(0, 1500, 1, 4) WHERE id = 1200)",
    "one partition": "range(0, 1500, 1, 1)",
    "empty partitions": "(SELECT * FROM range(0, 20000, 1, 40) WHERE id BETWEEN 9000 AND 9400 OR id > 19900)",
    "a large partition": "(SELECT * FROM range(0, 9000, 1, 4) WHERE id BETWEEN 3000 AND 4500 OR id % 1000 = 0)",
    "an aggregate": "(SELECT sum(id) AS id FROM range(0, 3000, 1, 4) GROUP BY id % 1100)",
    "a join": "(SELECT a.id FROM range(0, 3000, 1, 4) a JOIN range(0, 9000, 3, 4) b USING (id))",
    "a union": "(SELECT id FROM range(0, 700, 1, 2) UNION ALL SELECT id + 350 FROM range(0, 700, 1, 3))",
    "a sort": "(SELECT id FROM range(0, 1500, 1, 4) ORDER BY id DESC)",
}


@pytest.mark.parametrize("below", BELOW.values(), ids=BELOW)
def test_below(sharing: Sharing, below: str) -> None:
    few = "< 0" in below or "= 1200" in below or "4, 1)" in below or "1, 1)" in below
    sharing.ask(
        f"""SELECT id, sum(id) OVER (ORDER BY id % 700, id ROWS 300 PRECEDING), rank() OVER (ORDER BY id % 700, id),
              min(id) OVER (ORDER BY id % 700, id ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING) FROM {below}""",
        tasks=range(2) if few else range(2, 8),
        adaptive_coalescePartitions_enabled="false",
        autoBroadcastJoinThreshold="-1",
        spark_too=True,
    )


ABOVE = {
    "another window": f"SELECT id, s, max(s) OVER (ORDER BY id DESC ROWS BETWEEN 5 FOLLOWING AND 9 FOLLOWING) FROM ({WINDOW})",  # noqa: E501
    "partitions": f"SELECT id, row_number() OVER (PARTITION BY h % 7 ORDER BY s, id) FROM ({WINDOW})",
    "ranks of ties": f"SELECT h, count(*), sum(r) FROM (SELECT h % 3 AS h, row_number() OVER (ORDER BY h % 3) AS r FROM {H}) GROUP BY h",  # noqa: E501
    "groups": f"SELECT h, count(*), sum(s) FROM ({WINDOW}) GROUP BY h",
    "a self join": f"WITH w AS ({WINDOW}) SELECT a.id, a.s, b.s FROM w a JOIN w b ON a.id = b.id + 1",
    "a join": f"SELECT id, s, t FROM ({WINDOW}) JOIN (SELECT id, sum(id) OVER (ORDER BY h, id ROWS 99 PRECEDING) AS t FROM {H}) USING (id)",  # noqa: E501
    "a subquery": f"SELECT id, s > (SELECT avg(s) FROM ({WINDOW})) FROM ({WINDOW})",
}


@pytest.mark.parametrize(("above", "adaptive"), crossed(ABOVE.values(), ["true", "false"]))
def test_above(sharing: Sharing, above: str, adaptive: str) -> None:
    tasks = range(8) if "PARTITION" in above else range(2, 8)
    sharing.ask(above, tasks, adaptive_enabled=adaptive, autoBroadcastJoinThreshold="-1")


@pytest.mark.parametrize(
    ("order", "adaptive"),
    crossed(["h, id", "h", "id DESC", "h DESC, id", "h, id LIMIT 300 OFFSET 200"], ["true", "false"]),
)
def test_a_global_order(sharing: Sharing, order: str, adaptive: str) -> None:
    ties = order == "h"
    query = f"SELECT h, id, s FROM ({WINDOW}) ORDER BY {order}"
    sharing.ask(query, in_order=not ties, adaptive_enabled=adaptive)
    found, frame = sharing.run(query, {"spark.sql.adaptive.enabled": adaptive})
    keys = [row[0] for row in found]
    assert not ties or keys == sorted(keys)
    if "LIMIT" not in order:
        assert len(named(frame, "Exchange")) == (0 if order in ("h", "h, id") else 1)


def test_a_union_is_not_in_order(sharing: Sharing) -> None:
    one = "SELECT id AS k, sum(id) OVER (ORDER BY id ROWS 9 PRECEDING) AS s FROM range(0, 1500, 1, 4)"
    sharing.ask(f"SELECT * FROM ({one} UNION ALL {one}) ORDER BY k", in_order=True)


@pytest.mark.parametrize("adaptive", ["true", pytest.param("false", marks=pytest.mark.long)])
def test_a_cached_window(spark: SparkSession, sharing: Sharing, adaptive: str) -> None:
    expected = sharing.run(f"SELECT * FROM ({WINDOW}) ORDER BY h, id", {"spark.slidewise.enabled": "false"})[0]
    changes = {"spark.sql.adaptive.enabled": adaptive}
    with settings(spark, SHARED):
        frame = spark.sql(WINDOW).cache()
        try:
            frame.createOrReplaceTempView("cached_window")
            for _ in range(2):
                assert sharing.run("SELECT * FROM cached_window ORDER BY h, id", changes)[0] == expected
        finally:
            frame.unpersist()


def test_a_cached_child(spark: SparkSession, sharing: Sharing) -> None:
    child = spark.sql(H[1:-1]).cache()
    try:
        child.createOrReplaceTempView("cached_child")
        sharing.ask("SELECT id, sum(id) OVER (ORDER BY h, id ROWS 400 PRECEDING) FROM cached_child")
    finally:
        child.unpersist()


SHUFFLED = "(SELECT /*+ REPARTITION(4) */ * FROM range(0, 1500, 1, 4))"
RANDOM = {
    "rand": ("SELECT id, rand() AS r FROM range(0, 1500, 1, 4)", True),
    "ids": ("SELECT monotonically_increasing_id() AS id, uuid() AS r FROM range(0, 1500, 1, 4)", True),
    "below a shuffle": ("SELECT /*+ REPARTITION(4) */ id, rand() AS r FROM range(0, 1500, 1, 4)", True),
    "above a shuffle": (f"SELECT id, rand() AS r FROM {SHUFFLED}", False),
}


@pytest.mark.parametrize(("child", "repeatable"), RANDOM.values(), ids=RANDOM)
def test_a_random_child_runs_once(sharing: Sharing, child: str, repeatable: bool) -> None:
    for frame in ("ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"):
        query = f"SELECT row_number() OVER (ORDER BY r), r, max(r) OVER (ORDER BY r {frame}), lag(r) OVER (ORDER BY r) FROM ({child})"  # noqa: E501
        found, shared = sharing.run(query, {})
        assert (tasks_of(shared)[0] > 1) == repeatable
        found.sort()
        values = [row[1] for row in found]
        assert values == sorted(values)
        assert found == [(i + 1, r, r, values[i - 1] if i else None) for i, r in enumerate(values)]


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_the_exchange_of_a_window_that_is_read_twice_is_reused(sharing: Sharing, adaptive: str) -> None:
    query = f"SELECT a.id, a.s, b.s FROM ({WINDOW}) AS a JOIN ({WINDOW}) AS b ON a.id = b.id WHERE a.s > 0"
    changes = {"spark.sql.adaptive.enabled": adaptive, "spark.sql.autoBroadcastJoinThreshold": "-1"}
    found, frame = sharing.run(query, changes)
    assert sorted(found) == sorted(sharing.run(query, changes | {"spark.slidewise.enabled": "false"})[0])
    assert named(frame, "ReusedExchange")
    assert max(tasks_of(frame)) > 1
    assert [node.metrics().apply("numOutputRows").value() for node in named(frame, "Range")] == [1500]


TYPES = ["map('a', id)", "array(id, NULL)", "named_struct('m', map(1, id))", "make_interval(0, 0, 0, 3)", "NULL"]


@pytest.mark.parametrize("value", [*TYPES, *(["parse_json('{\"a\": 1}')"] if SPARK >= (4, 0) else [])])
def test_rows_of_any_type_below_a_shuffle(sharing: Sharing, value: str) -> None:
    child = f"SELECT /*+ REPARTITION(4) */ id, {value} AS v FROM range(0, 1500, 1, 4)"
    query = f"SELECT id, v IS NULL, sum(id) OVER (ORDER BY id % 100, id ROWS 99 PRECEDING) FROM ({child})"
    sharing.ask(query)


@pytest.mark.parametrize("over", ["OVER ()", "OVER (ORDER BY id ROWS UNBOUNDED PRECEDING)"])
def test_rows_larger_than_a_block(sharing: Sharing, over: str) -> None:
    child = "SELECT id, repeat('x', if(id % 100 = 7, 1200000 + cast(id AS int), 3)) AS t FROM range(0, 1500, 1, 4)"
    found = sharing.ask(f"SELECT id, length(t), md5(t), sum(length(t)) {over} FROM ({child})", spark_too=True)
    assert sum(row[1] for row in found) == sum(1_200_000 + i if i % 100 == 7 else 3 for i in range(1500))


def test_rows_without_columns(sharing: Sharing) -> None:
    sharing.ask("SELECT count(*) OVER () FROM range(0, 1500, 1, 4)", tasks=range(1, 8))


def test_frames_of_data(spark: SparkSession, sharing: Sharing) -> None:
    def query() -> DataFrame:
        frame = spark.sql(WINDOW)
        return frame.select("h", sf.expr("s + 1").alias("t")).filter("t % 2 = 0").groupBy("h").agg(sf.max("t"))

    sharing.ask(query)


@pytest.mark.parametrize(
    "call",
    [
        "sum(9223372036854775807 - id) OVER (ORDER BY id ROWS 99 PRECEDING)",
        "sum(9223372036854775807 - id) OVER (ORDER BY id)",
        "sum(1 / (id - 900)) OVER (ORDER BY id ROWS 9 PRECEDING)",
        "sum(1 / (id - 900)) OVER (ORDER BY id)",
        "max(id) OVER (ORDER BY 1 / (id - 900) ROWS 9 PRECEDING)",
        "sum(cast(id AS decimal(38, 0)) + 99999999999999999999999999999999999000) OVER (ORDER BY id)",
        "sum(cast(id AS int)) OVER (ORDER BY 2147483000 + cast(id AS int) RANGE 5 PRECEDING)",
    ],
)
def test_errors(spark: SparkSession, fails: Fails, call: str) -> None:
    with settings(spark, SHARED):
        fails(f"SELECT id, {call} FROM range(0, 1500, 1, 4)")


ORDERED = "OVER (ORDER BY id ROWS UNBOUNDED PRECEDING)"
REASONS = {
    f"collect_list(id) {ORDERED}": ("a buffer", {}),
    f"count(DISTINCT id) {ORDERED}": ("a buffer|distinct values", {}),
    f"nth_value(id, 5000) {ORDERED}": ("cannot be merged", {}),
    "lag(id, 5000) IGNORE NULLS OVER (ORDER BY id), sum(id) OVER (ORDER BY id)": ("Spark's operator evaluates", {}),
    f"stddev(id) {ORDERED}": ("in arrays, one task is faster than 3", {"spark.sql.shuffle.partitions": "3"}),
    "sum(id) OVER (ORDER BY h ROWS 5 PRECEDING)": ("Spark sorts", {"spark.slidewise.sort.enabled": "false"}),
    "sum(id) OVER (ORDER BY id RANGE 5 PRECEDING)": ("may wrap around", {"spark.sql.ansi.enabled": "false"}),
    "max(id) OVER (ORDER BY id)": ("parallel.enabled is false", {"spark.slidewise.parallel.enabled": "false"}),
}


@pytest.mark.parametrize(("call", "expected"), REASONS.items(), ids=REASONS)
def test_the_reason_for_one_task(sharing: Sharing, call: str, expected: tuple[str, dict[str, str]]) -> None:
    words, changes = expected
    _, frame = sharing.run(f"SELECT id, {call} FROM {H}", changes)
    reasons = [row.reason or "" for row in slidewise.explain(frame).collect()]
    assert any(re.search(words, reason) for reason in reasons), reasons
    assert all(tasks == 0 for tasks in tasks_of(frame))
    assert not named(frame, "RunsExchange")
