"""Many queries at a time, in one session and in several."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import SparkSession

SQL = """SELECT sum(s), sum(m), sum(size(c)) FROM (
           SELECT sum(id) OVER w AS s, max_by(id, id % 97) OVER w AS m, collect_list(id) OVER w AS c
           FROM range({rows})
           WINDOW w AS (PARTITION BY id % 5 ORDER BY id ROWS BETWEEN 30 PRECEDING AND 3 FOLLOWING))"""


def test_threads(spark: SparkSession) -> None:
    sizes = [1_000, 5_000, 20_000, 1, 40_000, 300, 7_000, 10_000]

    def ask(rows: int, slidewise: bool) -> tuple[object, ...]:
        session = spark.newSession()
        session.conf.set("spark.slidewise.enabled", str(slidewise).lower())
        frame = session.sql(SQL.format(rows=rows))
        assert ("SlidingWindow" in frame._jdf.queryExecution().executedPlan().toString()) == slidewise
        return tuple(frame.collect()[0])

    with ThreadPoolExecutor(8) as pool:
        on = list(pool.map(lambda rows: ask(rows, True), sizes))
        off = list(pool.map(lambda rows: ask(rows, False), sizes))
    assert on == off


def test_two_windows_in_one_task_share_its_memory(spark: SparkSession) -> None:
    over = "OVER (ORDER BY id ROWS BETWEEN 5000 PRECEDING AND 5000 FOLLOWING)"
    (row,) = spark.sql(
        f"""SELECT sum(t), count(*)
            FROM (SELECT sum(s) {over} AS t FROM (SELECT id, count(*) {over} AS s FROM range(50000)))"""
    ).collect()
    assert row[1] == 50_000
