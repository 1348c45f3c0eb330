"""Sketches whose states are read from the store in one batch, and take rows and other sketches in the next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from session import settings
from sparks import needs_spark

from streams.feed import Feed
from streams.run import run

pytestmark = pytest.mark.usefixtures("one_partition")

SCHEMA = "id bigint, k bigint, ts timestamp, s string"
ARROW = pa.schema([("id", pa.int64()), ("k", pa.int64()), ("ts", pa.timestamp("us", "UTC")), ("s", pa.string())])
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
BATCHES, ROWS = 3, 200

# Few values, so that each sketch is exact.
SKETCHES = {
    "theta_sketch_estimate(theta_sketch_agg(s) {over})": [needs_spark("4.1", "no theta sketches")],
    "tuple_sketch_estimate_double(tuple_sketch_agg_double(s, 1.0D) {over})": [needs_spark("4.2", "no tuple sketches")],
    "kll_sketch_get_n_bigint(kll_sketch_agg_bigint(id) {over})": [needs_spark("4.1", "no KLL sketches")],
    "hll_sketch_estimate(hll_sketch_agg(s) {over})": [],
    "approx_count_distinct(s) {over}": [],
    "bitmap_count(bitmap_construct_agg(bitmap_bit_position(id)) {over})": [],
}
QUERIES = {
    "growing": "SELECT id, {growing} AS a FROM events",
    "moving": "SELECT id, {moving} AS a FROM events",
    "hopping": "SELECT k, window.start AS w, {alone} AS a FROM events GROUP BY k, window(ts, '1 minute', '10 seconds')",
}
OVERS = {
    "growing": "OVER (PARTITION BY k ORDER BY ts)",
    "moving": "OVER (PARTITION BY k ORDER BY ts ROWS 150 PRECEDING)",
    "alone": "",
}


# `make test` runs each sketch over one kind of window.
CASES = [
    pytest.param(sketch, query, marks=marks if (i + j) % len(QUERIES) == 0 else [*marks, pytest.mark.long])
    for i, (sketch, marks) in enumerate(SKETCHES.items())
    for j, query in enumerate(QUERIES)
]


@pytest.mark.parametrize(("sketch", "query"), CASES)
def test_states_are_read_and_go_on(spark: SparkSession, tmp_path: Path, sketch: str, query: str) -> None:
    feed = Feed(tmp_path / "in", ARROW, SCHEMA)
    for first in range(0, BATCHES * ROWS, ROWS):
        feed.arrive([row(i) for i in range(first, first + ROWS)])
    # All rows before have their answers then.
    feed.arrive([row(100_000)])
    sql = QUERIES[query].format(**{name: sketch.format(over=over) for name, over in OVERS.items()})
    feed.stream(spark).withWatermark("ts", "1 second").createOrReplaceTempView("events")
    progress = run(spark.sql(sql), tmp_path / "out", tmp_path / "checkpoint")
    (operator,) = progress[-1]["stateOperators"]
    assert operator["operatorName"] == ("hoppingWindow" if query == "hopping" else "slidingWindow")
    feed.table(spark, feed.rows[:-1], tmp_path / "all.parquet").createOrReplaceTempView("events")
    with settings(spark, {"spark.slidewise.enabled": "false"}):
        expected = sorted(map(tuple, spark.sql(sql).collect()))
    assert sorted(map(tuple, spark.read.parquet(str(tmp_path / "out")).collect())) == expected


def row(i: int) -> dict[str, object]:
    return {"id": i, "k": i % 2, "ts": BEGIN + timedelta(seconds=i / 4), "s": f"value {i % 97 + i // ROWS}"}
