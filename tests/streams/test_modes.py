"""What becomes of rows by setting: eager answers, late rows, keys that fall silent; and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import pandas_udf
from session import settings

import slidewise
from streams.feed import Feed, Row
from streams.run import Progress, operator_of, run

pytestmark = pytest.mark.usefixtures("one_partition")

SCHEMA = "k string, ts timestamp, n bigint"
ARROW = pa.schema([("k", pa.string()), ("ts", pa.timestamp("us", "UTC")), ("n", pa.int64())])
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
LAST_TWO = "PARTITION BY k ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"


def row(k: str, second: float | None, n: int) -> Row:
    return {"k": k, "ts": None if second is None else BEGIN + timedelta(seconds=second), "n": n}


@pytest.fixture
def feed(tmp_path: Path) -> Feed:
    return Feed(tmp_path / "in", ARROW, SCHEMA)


def over(spark: SparkSession, feed: Feed, answers: str, watermark: str | None = "10 seconds") -> DataFrame:
    stream = feed.stream(spark)
    (stream.withWatermark("ts", watermark) if watermark else stream).createOrReplaceTempView("events")
    return spark.sql(f"SELECT *, {answers} AS a FROM events")


def answered(spark: SparkSession, tmp_path: Path) -> list[tuple[str, float, Any]]:
    found = spark.read.parquet(str(tmp_path / "out")).collect()
    return sorted((r["k"], (r["ts"].astimezone(UTC) - BEGIN).total_seconds(), r["a"]) for r in found)


def ran(frame: DataFrame, tmp_path: Path) -> list[Progress]:
    return run(frame, tmp_path / "out", tmp_path / "checkpoint")


def test_eager_answers_in_the_batch_in_which_a_row_comes(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    feed.arrive([row("a", 5, 1), row("a", 0, 2), row("b", 3, 4)])
    feed.arrive([row("a", 4, 8), row("a", 5, 16), row("b", 9, 32)])
    with settings(spark, {"spark.slidewise.streaming.mode": "eager"}):
        progress = ran(over(spark, feed, f"sum(n) OVER ({LAST_TWO})", watermark=None), tmp_path)
    # The row of second 4 came after that of second 5 had its answer.
    assert answered(spark, tmp_path) == [("a", 0, 2), ("a", 5, 3), ("a", 5, 17), ("b", 3, 4), ("b", 9, 36)]
    assert [p["numInputRows"] for p in progress] == [3, 3]
    assert [operator_of(p)["numRowsDroppedByWatermark"] for p in progress] == [0, 1]


def test_append_waits_and_puts_rows_in_order(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    feed.arrive([row("a", 5, 1), row("a", 0, 2), row("b", 3, 4), row("a", None, 64)])
    feed.arrive([row("a", 4, 8), row("b", 30, 16)])
    progress = ran(over(spark, feed, f"sum(n) OVER ({LAST_TWO})"), tmp_path)
    assert answered(spark, tmp_path) == [("a", 0, 2), ("a", 4, 10), ("a", 5, 9), ("b", 3, 4)]
    assert sum(operator_of(p)["customMetrics"]["rowsWithoutEventTime"] for p in progress) == 1


def test_late_rows_are_counted_and_written_aside(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    feed.arrive([row("a", 100, 1)])
    feed.arrive([row("a", 200, 2)])
    feed.arrive([row("a", 50, 4), row("b", 80, 8), row("a", 300, 16)])
    aside = tmp_path / "late"
    with settings(spark, {"spark.slidewise.streaming.lateRowsPath": aside}):
        progress = ran(over(spark, feed, f"sum(n) OVER ({LAST_TWO})"), tmp_path)
    assert answered(spark, tmp_path) == [("a", 100, 1), ("a", 200, 3)]
    assert sum(operator_of(p)["numRowsDroppedByWatermark"] for p in progress) == 2
    lines = [json.loads(line) for file in aside.rglob("*.json") for line in file.read_text().splitlines()]
    assert sorted((line["k"], line["n"]) for line in lines) == [("a", 4), ("b", 8)]
    assert {file.parent.name for file in aside.rglob("*.json")} == {"batch=2"}


def test_one_watermark_for_several_windows_is_refused(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    of_n = "PARTITION BY n ORDER BY ts ROWS 1 PRECEDING"
    one, two = f"sum(n) OVER ({LAST_TWO})", f"sum(n) OVER ({LAST_TWO}), max(n) OVER ({of_n})"
    feed.arrive([row("a", 5, 1), row("a", 90, 2)])
    with settings(spark, {"spark.sql.streaming.statefulOperator.allowMultiple": "false"}):
        with pytest.raises(
            Exception, match="allowMultiple is false, so that the rows of one stateful operation are late"
        ):
            over(spark, feed, two).writeStream.format("noop").trigger(availableNow=True).start().awaitTermination()
        ran(over(spark, feed, one), tmp_path)
    assert answered(spark, tmp_path) == [("a", 5, 1)]


def test_a_sum_that_overflows_tells_so(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    feed.arrive([row("a", second, 2**62 - 1) for second in range(2)])
    feed.arrive([row("a", 100 + second, 2) for second in range(3)])
    overflow = pytest.raises(Exception, match="ARITHMETIC_OVERFLOW")
    with settings(spark, {"spark.slidewise.streaming.mode": "eager"}), overflow:
        ran(over(spark, feed, "sum(n) OVER (PARTITION BY k ORDER BY ts)"), tmp_path)


def test_late_rows_of_a_batch_that_runs_again_are_written_once(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    feed.arrive([row("a", 100, 1)])
    feed.arrive([row("a", 200, 2)])
    aside = tmp_path / "late"
    with settings(spark, {"spark.slidewise.streaming.lateRowsPath": aside}):
        ran(over(spark, feed, f"sum(n) OVER ({LAST_TWO})"), tmp_path)
        query = json.loads((tmp_path / "checkpoint/metadata").read_text())["id"]
        earlier = aside / f"query={query}/operator=0/batch=3"
        earlier.mkdir(parents=True)
        # As if the batch had begun with more partitions.
        (earlier / "part-199.json").write_text('{"k": "b", "ts": "1970-01-01 00:00:01", "n": 4}')
        feed.arrive([row("b", 1, 4)])
        ran(over(spark, feed, f"sum(n) OVER ({LAST_TWO})"), tmp_path)
    batches = {file.parent.name: file.read_text() for file in aside.rglob("*.json")}
    assert [json.loads(text)["n"] for text in batches.values()] == [4], batches


def state_rows(spark: SparkSession, tmp_path: Path) -> int:
    """The entries of keys, without those of the partition."""
    state = spark.read.format("statestore").load(str(tmp_path / "checkpoint"))
    return state.where("key.section NOT IN (5, 6)").count()


@pytest.mark.parametrize(
    ("frame", "changes", "left"),
    [
        ("ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", {}, 21),
        ("ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", {"spark.slidewise.streaming.keyTimeout": "10 minutes"}, 1),
        ("RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW", {}, 1),
    ],
    ids=["rows are kept", "a timeout", "a limited time"],
)
@pytest.mark.parametrize("call", ["sum(n)", "count(DISTINCT n)"])
def test_keys_that_fall_silent(
    spark: SparkSession, tmp_path: Path, feed: Feed, call: str, frame: str, changes: dict[str, str], left: int
) -> None:
    feed.arrive([row(f"k{i}", i, i) for i in range(20)])
    feed.arrive([row("late", 4000, 1)])
    feed.arrive([row("late", 8000, 1)])
    with settings(spark, changes):
        ran(over(spark, feed, f"{call} OVER (PARTITION BY k ORDER BY ts {frame})"), tmp_path)
    assert len(answered(spark, tmp_path)) == 21
    # Headers and timers: the one key that has a row left has both.
    assert state_rows(spark, tmp_path) == left + 1


def test_a_key_with_rows_in_each_batch_that_falls_silent(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    """Its last rows come out as the watermark passes them, although its timer has not been written in each batch."""
    for k, second in [("a", 0), ("a", 100), ("a", 105), ("b", 106), ("b", 107), ("b", 300)]:
        feed.arrive([row(k, second, 1)])
    progress = ran(over(spark, feed, f"sum(n) OVER ({LAST_TWO})"), tmp_path)
    assert answered(spark, tmp_path) == [("a", 0, 1), ("a", 100, 2), ("a", 105, 2), ("b", 106, 1), ("b", 107, 2)]
    # "a" waits for no timer any more.
    state = spark.read.format("statestore").load(str(tmp_path / "checkpoint"))
    assert [r[0] for r in state.where("key.section = 4").select("key.key0").collect()] == ["b"]
    assert operator_of(progress[-1])["customMetrics"]["liveKeys"] == 2


def test_a_summary_keeps_no_rows(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    for batch in range(4):
        feed.arrive([row("a", batch * 1000 + i, i) for i in range(1000)])
    frame = "PARTITION BY k ORDER BY ts ROWS BETWEEN 1999 PRECEDING AND CURRENT ROW"
    answers = (
        f"struct(approx_count_if(n % 3 = 0, 0.01) OVER ({frame}) AS c, approx_sum(n, 1000, 0.01) OVER ({frame}) AS s)"
    )
    frames = over(spark, feed, answers)
    assert {r.algorithm for r in slidewise.explain(frames).collect()} == {"additive-summaries"}
    ran(frames, tmp_path)
    found = answered(spark, tmp_path)
    values = [i % 1000 for i in range(len(found))]
    assert len(found) > 3900
    for at, (_, _, (count, total)) in enumerate(found):
        frame_values = values[max(0, at - 1999) : at + 1]
        assert abs(count - sum(v % 3 == 0 for v in frame_values)) <= 0.01 * 2000
        assert abs(total - sum(frame_values)) <= 0.01 * 1000 * 2000
    # One header and one timer: neither blocks of rows nor states of them.
    assert state_rows(spark, tmp_path) == 2


@pytest.mark.parametrize(
    "frame", ["ROWS 99999 PRECEDING", "RANGE BETWEEN INTERVAL 99999 SECONDS PRECEDING AND CURRENT ROW"]
)
def test_the_state_of_distinct_values_does_not_grow_with_the_frame(
    spark: SparkSession, tmp_path: Path, feed: Feed, frame: str
) -> None:
    for batch in range(5):
        feed.arrive([row("a", i, i % 10) for i in range(batch * 20_000, (batch + 1) * 20_000)])
    window = f"OVER (PARTITION BY k ORDER BY ts {frame})"
    calls = f"struct(count(DISTINCT n) {window} AS c, sum(DISTINCT if(n % 2 = 0, n, NULL)) {window} AS s)"
    ran(over(spark, feed, calls), tmp_path)
    found = [tuple(a) for _, _, a in answered(spark, tmp_path)]
    assert len(found) > 99_900
    assert found[:11] == [(min(i + 1, 10), sum(range(0, min(i, 9) + 1, 2))) for i in range(11)]
    assert set(found[10:]) == {(10, 20)}
    # A header, a timer, and a block of last occurrences where they do not all fit into the header.
    assert state_rows(spark, tmp_path) <= 3
    state = spark.read.format("statestore").load(str(tmp_path / "checkpoint"))
    (size,) = state.selectExpr("sum(length(value.data))").first()
    assert size < 16_384


def test_a_condition_on_keys_is_applied_before_the_window(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    feed.arrive([row(f"k{i % 10}", i, i) for i in range(100)])
    feed.arrive([row("k3", 1000, 0)])
    progress = ran(over(spark, feed, f"sum(n) OVER ({LAST_TWO})").where("k = 'k3' AND a >= 0"), tmp_path)
    assert [k for k, _, _ in answered(spark, tmp_path)] == ["k3"] * 10
    assert max(operator_of(p)["customMetrics"]["keysTouched"] for p in progress) == 1


def test_columns_that_nobody_reads_are_not_kept(
    spark: SparkSession, feed: Feed, capfd: pytest.CaptureFixture[str]
) -> None:
    over(spark, feed, f"count(*) OVER ({LAST_TWO})").select("k", "a").explain()
    plan = capfd.readouterr().out
    below = plan.split("SlidingWindow")[1]
    assert "Project [k#" in below
    assert "n#" not in below.split("Project [")[1].splitlines()[0]


def test_explain_of_windows_over_tables_beside_the_stream(spark: SparkSession, feed: Feed) -> None:
    window = "OVER (PARTITION BY id % 3 ORDER BY id ROWS 5 PRECEDING)"
    table = spark.sql(f"SELECT CAST(id AS STRING) AS k, sum(id) {window} AS t FROM range(9)")
    stream = over(spark, feed, f"sum(n) OVER ({LAST_TWO})")
    found = slidewise.explain(
        stream.join(table, "k").where(f"n > (SELECT max(s) FROM (SELECT sum(id) {window} AS s FROM range(5)))")
    ).collect()
    assert [report.slidewise for report in found] == [True] * 3, found


def test_explain_says_what_runs(spark: SparkSession, feed: Feed) -> None:
    (report,) = slidewise.explain(
        over(spark, feed, f"sum(n) OVER ({LAST_TWO.replace('1 PRECEDING', '9 PRECEDING')})")
    ).collect()
    assert report.slidewise
    assert report.algorithm == "two-stacks-lite"
    assert (
        report.sql
        == "sum(n) OVER (PARTITION BY k ORDER BY ts ASC NULLS FIRST ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)"
    )


@pytest.mark.parametrize(
    ("window", "says"),
    [
        ("sum(n) OVER (PARTITION BY k ORDER BY n)", "order by a TIMESTAMP column with a watermark"),
        ("sum(n) OVER (PARTITION BY k ORDER BY ts DESC)", "order ascending"),
        ("sum(n) OVER (PARTITION BY k ORDER BY ts, n)", "order by the column of the watermark"),
        ("sum(n) OVER (PARTITION BY k)", "there is no ORDER BY"),
        (
            "sum(n) OVER (PARTITION BY k ORDER BY ts + INTERVAL 1 DAY)",
            "INTERVAL '1' DAY AS TIMESTAMP) is not the event-time column: order by the column of the watermark",
        ),
        ("ntile(3) OVER (PARTITION BY k ORDER BY ts)", "a stream has no end"),
        (
            "sum(n) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
            "end it at CURRENT ROW",
        ),
        (
            "nth_value(n, 2000) OVER (PARTITION BY k ORDER BY ts ROWS 5000 PRECEDING)",
            "nth_value with n = 2000 cannot be merged over a frame that moves: n may be at most 1000",
        ),
        ("lead(n) IGNORE NULLS OVER (PARTITION BY k ORDER BY ts)", "use first with IGNORE NULLS"),
        (
            "sum(n) OVER (PARTITION BY k COLLATE UNICODE_CI ORDER BY ts)",
            "PARTITION BY collate(k, UNICODE_CI) has the type STRING COLLATE UNICODE_CI, in which different values "
            "count as equal: partition by strings with COLLATE UTF8_BINARY, such as lower(collate(k, UNICODE_CI)) "
            "COLLATE UTF8_BINARY",
        ),
    ],
)
def test_what_cannot_run_is_refused_with_what_to_change(
    spark: SparkSession, feed: Feed, window: str, says: str
) -> None:
    with pytest.raises(AnalysisException, match="SLIDEWISE_UNSUPPORTED_STREAM_WINDOW") as refused:
        over(spark, feed, window).schema  # noqa: B018
    assert says in str(refused.value)


def test_times_that_have_no_watermarks_are_refused_with_what_to_change(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load().selectExpr("CAST(timestamp AS TIMESTAMP_NTZ) AS tn", "value AS n")
    with pytest.raises(AnalysisException, match="cast it to TIMESTAMP and call withWatermark"):
        stream.selectExpr("sum(n) OVER (PARTITION BY n ORDER BY tn ROWS 1 PRECEDING)").schema  # noqa: B018


def total(numbers: pd.Series) -> int:
    return int(numbers.sum())


def test_aggregates_in_python_are_refused(spark: SparkSession, feed: Feed) -> None:
    spark.udf.register("total_in_python", pandas_udf(total, "bigint"))
    with pytest.raises(AnalysisException, match="total_in_python runs in Python"):
        over(spark, feed, f"total_in_python(n) OVER ({LAST_TWO})").schema  # noqa: B018


def test_a_stream_without_a_watermark_is_refused(spark: SparkSession, feed: Feed) -> None:
    with pytest.raises(AnalysisException, match="withWatermark"):
        over(spark, feed, f"sum(n) OVER ({LAST_TWO})", watermark=None).schema  # noqa: B018


def test_eager_takes_no_frame_that_looks_ahead(spark: SparkSession, feed: Feed) -> None:
    with (
        settings(spark, {"spark.slidewise.streaming.mode": "eager"}),
        pytest.raises(AnalysisException, match="use the mode append"),
    ):
        over(spark, feed, "lead(n) OVER (PARTITION BY k ORDER BY ts)").schema  # noqa: B018


def test_a_setting_that_means_nothing_is_refused(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException, match="append or eager"):
        spark.conf.set("spark.slidewise.streaming.mode", "sometimes")
    assert spark.conf.get("spark.slidewise.streaming.mode") == "append"


def test_off_it_is_refused_with_that_reason(spark: SparkSession, tmp_path: Path, feed: Feed) -> None:
    with (
        settings(spark, {"spark.slidewise.enabled": "false"}),
        pytest.raises(AnalysisException, match=r"switched off in this session by spark\.slidewise\.enabled"),
    ):
        ran(over(spark, feed, f"sum(n) OVER ({LAST_TWO})"), tmp_path)
