"""GROUP BY window() over a stream emits in each batch what it emits with Spark's own operator, in each output mode."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from cases import crossed, long_if
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from session import settings

import slidewise
from streams.hopping import Stream, assert_same, feed_of, row
from streams.query import HDFS, ROCKSDB

pytestmark = pytest.mark.usefixtures("one_partition")

MODES = ["append", "update", "complete"]
STORES = {"rocksdb": ROCKSDB, "hdfs": HDFS}


def one_short(short: str, modes: list[str] = MODES) -> list[Any]:
    """The modes, for `parametrize`, of which all but one are long: another test runs all of them."""
    return long_if(lambda mode: mode != short, [(mode,) for mode in modes])


def sums(rows: DataFrame, size: str = "30 seconds", slide: str = "10 seconds") -> DataFrame:
    return rows.groupBy("k", f.window("ts", size, slide)).agg(f.sum("n"), f.count("*"), f.max("ts"))


def random_batches(seed: int, batches: int = 6, rows: int = 25, late: float = 15) -> list[list[dict[str, object]]]:
    rng = random.Random(seed)
    now, made = 0.0, []
    for _ in range(batches):
        now += rng.choice([3, 10, 25, 200])
        made.append(
            [row(rng.choice(["a", "b", None]), now - rng.uniform(0, late), rng.randrange(9)) for _ in range(rows)]
        )
    return made


@pytest.mark.parametrize("mode", MODES)
def test_emits_what_spark_emits(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    on, off = assert_same(Stream(spark, feed_of(tmp_path, *random_batches(1)), sums, mode), tmp_path)
    assert len(on.rows) > 30
    # One state for each pane, and not one for each of its three windows.
    assert sum(on.each("numRowsUpdated")) * 1.5 < sum(off.each("numRowsUpdated"))


@pytest.mark.parametrize("mode", one_short("append"))
def test_a_size_that_is_no_multiple_of_the_slide(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    stream = Stream(
        spark, feed_of(tmp_path, *random_batches(2, batches=4)), lambda r: sums(r, "25 seconds", "10 seconds"), mode
    )
    assert_same(stream, tmp_path)


@pytest.mark.parametrize("mode", one_short("update"))
def test_without_keys(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    def total(rows: DataFrame) -> DataFrame:
        return rows.groupBy(f.window("ts", "1 minute", "20 seconds", "7 seconds")).agg(f.sum("n"), f.avg("n"))

    on, _ = assert_same(Stream(spark, feed_of(tmp_path, *random_batches(3, batches=4)), total, mode), tmp_path)
    assert on.each("numShufflePartitions") == [1] * len(on.progress)


@pytest.mark.parametrize("mode", ["append", "update"])
def test_late_rows_are_dropped_window_by_window(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    """A row may be late for its first windows and in time for its last."""
    feed = feed_of(
        tmp_path,
        [row("a", 5, 1), row("a", 100, 2), row("b", 100, 3)],
        [row("a", 102, 5)],  # Spark tells late rows by the watermark of the batch before.
        [row("a", 71, 10), row("a", 79, 20), row("a", 85, 30), row("b", 91, 40), row("b", 3, 50), row("c", 4, 60)],
        [row("a", 500, 4)],
        [row("a", 502, 4)],
        [row("a", 101, 7), row("b", 102, 8), row("b", 501, 9)],
        [row("a", 900, 0)],
    )
    on, _ = assert_same(Stream(spark, feed, sums, mode), tmp_path)
    assert sum(on.each("numRowsDroppedByWatermark")) > 10


@pytest.mark.long
@pytest.mark.parametrize("mode", one_short("append"))
def test_gaps_of_years(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    year = 365 * 86_400
    feed = feed_of(
        tmp_path,
        [row("a", 0, 1), row("b", -60 * year, 2)],
        [row("a", year, 3), row("b", 5 * year, 4)],
        [row("a", 5 * year + 100, 5), row("b", 5 * year + 3, 6)],
    )
    assert_same(Stream(spark, feed, lambda r: sums(r, "1 hour", "1 minute"), mode), tmp_path)


@pytest.mark.parametrize("mode", one_short("complete", ["update", "complete"]))
def test_without_a_watermark(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    on, _ = assert_same(
        Stream(spark, feed_of(tmp_path, *random_batches(4, batches=4)), sums, mode, delay=None), tmp_path
    )
    assert on.each("numRowsRemoved") == [0] * len(on.progress)


@pytest.mark.parametrize("mode", one_short("update"))
def test_filters_on_windows(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    def some(rows: DataFrame) -> DataFrame:
        return sums(rows).where("k <> 'b' AND minute(window.start) % 2 = 0 AND `count(1)` > 1")

    assert_same(Stream(spark, feed_of(tmp_path, *random_batches(5, batches=4, late=60)), some, mode), tmp_path)


@pytest.mark.long
def test_two_aggregations_in_a_row(spark: SparkSession, tmp_path: Path) -> None:
    def twice(rows: DataFrame) -> DataFrame:
        first = rows.groupBy("k", f.window("ts", "30 seconds", "10 seconds")).agg(f.sum("n").alias("s"))
        return first.groupBy(f.window(f.window_time("window"), "1 minute", "30 seconds")).agg(f.max("s"), f.count("*"))

    on, _ = assert_same(Stream(spark, feed_of(tmp_path, *random_batches(6, batches=9)), twice, "append"), tmp_path)
    assert len(on.operators) == 2
    assert len(on.rows) > 5


@pytest.mark.parametrize(("store", "mode"), crossed(STORES, MODES))
def test_each_state_store(spark: SparkSession, tmp_path: Path, store: str, mode: str) -> None:
    chosen = {
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.streaming.stateStore.providerClass": STORES[store],
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
        "spark.sql.streaming.stateStore.minDeltasForSnapshot": 2,
    }
    with settings(spark, chosen):
        on, _ = assert_same(Stream(spark, feed_of(tmp_path, *random_batches(7)), sums, mode), tmp_path)
    assert all(size > 0 for size in on.each("memoryUsedBytes")[:-1])


AGGREGATES = {
    "moments": "var_pop(n), corr(n, n * n), skewness(n), regr_slope(n, n * 2)",
    "objects": "sort_array(collect_list(n)), sort_array(collect_set(n)), percentile(n, 0.3), mode(n)",
    "sketches": "approx_count_distinct(n), approx_percentile(n, 0.5), hll_sketch_estimate(hll_sketch_agg(n))",
    "values": "max_by(n, ts), min(k), bool_or(n > 3), sum(CAST(n AS DECIMAL(30, 5))), avg(n / 3), try_sum(n)",
    "filters": "sum(n) FILTER (WHERE n > 3), count(n) FILTER (WHERE k = 'a'), sum(n + 1)",
    "own": "geomean(n + 1), sort_array(top_k(n, 2)), min_count(n)",
}


@pytest.mark.parametrize(("kind", "mode"), crossed(AGGREGATES, MODES))
def test_aggregates(spark: SparkSession, tmp_path: Path, kind: str, mode: str) -> None:
    def grouped(rows: DataFrame) -> DataFrame:
        rows.createOrReplaceTempView("events")
        sql = f"SELECT k, window, {AGGREGATES[kind]} FROM events GROUP BY window(ts, '30 seconds', '10 seconds'), k"
        return rows.sparkSession.sql(sql)

    assert_same(Stream(spark, feed_of(tmp_path, *random_batches(8, batches=3)), grouped, mode), tmp_path)


def test_keys_of_other_types(spark: SparkSession, tmp_path: Path) -> None:
    def grouped(rows: DataFrame) -> DataFrame:
        keys = [f.expr("CAST(n - 4 AS DOUBLE) * 0"), f.expr("struct(k, array(n % 2))"), f.expr("n % 3 = 0")]
        return rows.groupBy(*keys, f.window("ts", "30 seconds", "10 seconds")).agg(f.count("*"))

    assert_same(Stream(spark, feed_of(tmp_path, *random_batches(9, batches=4)), grouped, "update"), tmp_path)


def test_explain_says_what_runs(spark: SparkSession, tmp_path: Path) -> None:
    rows = feed_of(tmp_path).stream(spark).withWatermark("ts", "1 minute")
    reports = slidewise.explain(sums(rows)).collect()
    assert [r.slidewise for r in reports] == [True, True, True]
    assert reports[0].sql == "sum(n) GROUP BY k, window(ts, '30 seconds', '10 seconds')"
    assert reports[0].algorithm == "two-stacks-lite"
