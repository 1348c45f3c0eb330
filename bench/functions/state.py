"""The bytes that a key keeps for a window: those of a summary, and those of the rows where the answer is exact."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

KEYS = 2
WINDOWS = (1_000, 100_000)


@dataclass(frozen=True)
class State:
    """Bytes a key, for a window of so many rows."""

    call: str
    exact: str
    rows: int
    bytes: int
    exact_bytes: int


# By the operator's metric: an approximate function, and the exact one.
FRAMES = [
    ("approx_count_if(x > 50, 0.01)", "count_if(x > 50)"),
    ("approx_count_if(x > 50, 0.0001)", "count_if(x > 50)"),
    ("approx_sum(x, 100, 0.01)", "sum(x)"),
    ("approx_sum(x, 100, 0.0001)", "sum(x)"),
]
# By the length of the sketch; the exact answer for any width needs each row's time, and value.
SKETCHES = [
    ("sliding_count_sketch_agg(t, {w}, 0.05)", "each time", 8),
    ("sliding_count_sketch_agg(t, {w}, 0.01)", "each time", 8),
    ("sliding_sum_sketch_agg(t, x, {w}, 0.05)", "each time and value", 16),
]


def measured(spark: SparkSession) -> list[State]:
    return [of for window in WINDOWS for of in (*_frames(spark, window), *_sketches(spark, window))]


def _frames(spark: SparkSession, window: int) -> list[State]:
    """With Spark's sort, for the operator's own holds all rows."""
    spark.conf.set("spark.slidewise.enabled", "true")
    spark.conf.set("spark.slidewise.sort.enabled", "false")

    def peak(said: str, rows: int) -> int:
        over = f"OVER (PARTITION BY k ORDER BY t ROWS BETWEEN {rows - 1} PRECEDING AND CURRENT ROW)"
        return _peak_memory(spark.sql(f"SELECT {said} {over} AS answer FROM {_table(window + window // 2)}"))

    exactly = {exact: peak(exact, window) for _, exact in FRAMES}
    found = []
    for call, exact in FRAMES:
        # Of one row hardly more is kept than the page that the row is on.
        page = peak(call, 1)
        found.append(State(call, exact, window, peak(call, window) - page, exactly[exact] - page))
    spark.conf.unset("spark.slidewise.sort.enabled")
    return found


def _sketches(spark: SparkSession, window: int) -> list[State]:
    """Times that come out of order, as many to a tick as there are ticks to a window of a thousand."""
    found = []
    for call, exact, each in SKETCHES:
        said = call.format(w=window)
        late = f"(SELECT k, t - pmod(xxhash64(t), {window // 10}) AS t, x FROM {_table(window)})"
        [row] = spark.sql(f"SELECT max(n) FROM (SELECT length({said}) AS n FROM {late} GROUP BY k)").collect()
        found.append(State(call.replace("{w}", "W"), exact, window, int(row[0]), each * window))
    return found


def _table(rows_of_key: int) -> str:
    """In one partition, so that one task holds one key at a time."""
    rows = f"range(0, {KEYS * rows_of_key}, 1, 1)"
    return f"(SELECT id % {KEYS} AS k, id DIV {KEYS} AS t, (id * 7919) % 101 AS x FROM {rows})"


def _peak_memory(frame: DataFrame) -> int:
    """What the operator says that it held at most."""
    from plans import metric

    frame._jdf.queryExecution().toRdd().count()
    return metric(frame, "peakMemory")
