"""Windows with PARTITION BY of which one partition holds most rows: several tasks share it, detected or expected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cases import crossed
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast, count
from session import settings
from sparks import portable

import slidewise
from semantics.sharing import BESIDE_RANKS, ROWS, SHARED, TABLE, Rows, Sharing, difference, named, tasks_of

ADAPTIVE = "spark.sql.adaptive.enabled"
THRESHOLD = "spark.slidewise.parallel.skewThreshold"
CORES = "spark.slidewise.parallel.cores"
SKEWED_KEYS = "spark.slidewise.parallel.skewedKeys"
BLOCKS = "spark.slidewise.blockExchange.enabled"

# The hot key holds 92 of 100 rows.
KEYS = {
    "text": "CASE WHEN h % 100 < 92 THEN 'hot' WHEN h % 100 = 99 THEN NULL ELSE concat('k', h % 5) END",
    "null": "CASE WHEN h % 100 < 92 THEN NULL ELSE cast(h % 5 AS bigint) END",
    "struct": "named_struct('a', if(h % 100 < 92, 1, h % 5), 'b', 'x')",
}
FRAMES = [
    "ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING",
    "ROWS BETWEEN 900 PRECEDING AND 700 PRECEDING",
    "ROWS BETWEEN 300 FOLLOWING AND 700 FOLLOWING",
    "ROWS UNBOUNDED PRECEDING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 500 PRECEDING",
    "ROWS BETWEEN 500 FOLLOWING AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
]
CALLS = portable(
    """sum(i) {over}, count(*) FILTER (WHERE i % 2 = 0) {over}, avg(m) {over}, min(s) {over}, max(d) {over},
    max_by(s, l) {over}"""
)


EXPECTED = {SKEWED_KEYS: "expected"}
WAYS = {
    "detected": {ADAPTIVE: "true", THRESHOLD: "1k", CORES: "8"},
    "expected": EXPECTED | {ADAPTIVE: "true"},
    "expected, not adaptive": EXPECTED | {ADAPTIVE: "false"},
}


@pytest.fixture(autouse=True, params=WAYS)
def skew(spark: SparkSession, request: pytest.FixtureRequest):
    with settings(spark, WAYS[request.param]):
        yield request.param


def if_detected(skew: str) -> None:
    if skew != "detected":
        pytest.skip("of partitions that are found skewed")


def skewed(key: str = "text") -> str:
    return f"(SELECT *, {KEYS[key]} AS k FROM rows)"


@pytest.mark.parametrize(
    ("frame", "key", "blocks"), crossed(FRAMES, KEYS, ["true", "false"]), ids=lambda value: str(value)
)
def test_rows(spark: SparkSession, sharing: Sharing, frame: str, key: str, blocks: str) -> None:
    over = f"OVER (PARTITION BY k ORDER BY h, id {frame})"
    with settings(spark, {BLOCKS: blocks}):
        sharing.ask(f"SELECT id, {CALLS.format(over=over)} FROM {skewed(key)}", spark_too=True)


@pytest.mark.parametrize(
    ("order", "frame"),
    crossed(
        ["i", "i DESC NULLS LAST", "d", "ts"],
        ["{} PRECEDING AND CURRENT ROW", "{} PRECEDING AND {} FOLLOWING", "UNBOUNDED PRECEDING AND {} PRECEDING"],
    ),
)
def test_range(sharing: Sharing, order: str, frame: str) -> None:
    by = "INTERVAL 1 DAY" if order == "ts" else "40D" if order == "d" else "90"
    over = f"OVER (PARTITION BY k ORDER BY {order} RANGE BETWEEN {frame.format(by, by)})"
    calls = f"sum(id) {over}, count(*) {over}, min(s) {over}, bit_xor(h) {over}"
    sharing.ask(f"SELECT id, {calls} FROM {skewed()}", tasks=range(1, 8), spark_too=True)


@pytest.mark.parametrize("call", BESIDE_RANKS)
def test_peers_are_counted_once_beside_rows_of_other_tasks(sharing: Sharing, call: str) -> None:
    window = "PARTITION BY k ORDER BY few"
    calls = f"dense_rank() OVER ({window}), {call.format(w=window)}"
    sharing.ask(f"SELECT id, {calls} FROM {skewed()}", spark_too=True)


RANKS = "rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w"
PLACES = "row_number() OVER w, ntile(7) OVER w, lag(s) OVER w, lead(i, 300) OVER w, first(s) OVER w, last(i) OVER w"


@pytest.mark.parametrize(("calls", "order"), crossed([RANKS, PLACES], ["s DESC, id", "h, id", "t, id DESC"]))
def test_ranks_and_places(sharing: Sharing, calls: str, order: str) -> None:
    query = f"SELECT id, {calls} FROM {skewed()} WINDOW w AS (PARTITION BY k ORDER BY {order})"
    sharing.ask(query, tasks=range(1, 8) if "dense" in calls else range(2, 8), spark_too=True)


@pytest.mark.parametrize("order", ["few", "few DESC, three"])
def test_peers(sharing: Sharing, order: str) -> None:
    calls = "sum(i) OVER w, count(*) OVER w, rank() OVER w"
    query = f"SELECT id, {calls} FROM {skewed()} WINDOW w AS (PARTITION BY k ORDER BY {order})"
    sharing.ask(query, spark_too=True)


@pytest.mark.parametrize("order", ["h, id", "few"])
def test_cuts_between_keys(spark: SparkSession, sharing: Sharing, order: str) -> None:
    """Five keys lie in one partition of the shuffle."""
    of_one = spark.sql("SELECT id FROM range(1000) WHERE pmod(hash(id), 7) = 3 LIMIT 5").collect()
    key = f"element_at(array({', '.join(f'{row.id}L' for row in of_one)}), cast(1 + h % 5 AS int))"
    over = f"OVER (PARTITION BY k ORDER BY {order}"
    calls = f"sum(i) {over}), max(s) {over} ROWS 20 PRECEDING), rank() {over}), dense_rank() {over})"
    calls = calls if order == "h, id" else calls.replace("ROWS 20 PRECEDING", "RANGE 20 PRECEDING")
    sharing.ask(f"SELECT id, {calls} FROM (SELECT *, {key} AS k FROM rows)", spark_too=True)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "call", ["sum(i) {w}", "max(s) {w}, stddev(l) {w}", "count(*) {w}, max_by(s, struct(l, id)) {w}"]
)
def test_whole_partitions_in_no_order(sharing: Sharing, call: str, key: str) -> None:
    query = f"SELECT id, {call.format(w='OVER (PARTITION BY k)')} FROM {skewed(key)}"
    sharing.ask(query, spark_too=True)


@pytest.mark.parametrize("frame", ["UNBOUNDED PRECEDING AND 1 PRECEDING", "CURRENT ROW AND UNBOUNDED FOLLOWING"])
def test_growing_frames_in_no_order(sharing: Sharing, frame: str) -> None:
    """Which rows come first is open; how many do is not."""
    window = f"PARTITION BY k ROWS BETWEEN {frame}"
    sharing.ask(f"SELECT k, count(concat(s, id)) OVER ({window}) AS n FROM {skewed()}", spark_too=True)


def test_what_stands_above_keeps_its_partitions(spark: SparkSession, sharing: Sharing) -> None:
    """A sum by the same key needs no shuffle of its own, as long as the window keeps the partitions."""
    window = f"SELECT k, row_number() OVER (PARTITION BY k ORDER BY h, id) AS n FROM {skewed()}"
    query = f"SELECT k, sum(n) FROM ({window}) GROUP BY k"
    found, frame = sharing.run(query, {})
    assert tasks_of(frame) == [0]
    assert len(exchanges(frame)) == 1
    expected, _ = sharing.run(query, {"spark.slidewise.enabled": "false"})
    assert sorted(found, key=repr) == sorted(expected, key=repr)


def few(frame: DataFrame) -> DataFrame:
    return broadcast(frame.sparkSession.range(3).selectExpr("cast(id AS int) AS n"))


def exploded(frame: DataFrame) -> DataFrame:
    return frame.selectExpr("k", "explode(array(n)) AS n")


REPARTITIONED = {
    "by the key": (lambda frame: frame.repartition("k"), True),
    "by the key under another name": (lambda frame: frame.selectExpr("k AS key", "n").repartition("key"), True),
    "by the key of joined rows": (lambda frame: frame.join(few(frame), "n", "left").repartition("k"), True),
    "by the key of exploded rows": (
        lambda frame: frame.selectExpr("k", "explode(array(n)) AS n").repartition("k"),
        True,
    ),
    "by the key of observed rows": (lambda frame: frame.observe("o", count("*")).repartition("k"), True),
    "by the key and more": (lambda frame: frame.repartition("k", "n"), False),
    "by another column": (lambda frame: frame.repartition("n"), False),
    "by ranges of the key": (lambda frame: frame.repartitionByRange("k"), False),
    "evenly": (lambda frame: frame.repartition(3), False),
    # The numbers of the partitions above are read, so tasks do not share the window.
    "not at all": (lambda frame: frame, True),
}


@pytest.mark.parametrize(("repartition", "needed"), REPARTITIONED.values(), ids=REPARTITIONED)
def test_a_repartition_keeps_its_rows_together(
    spark: SparkSession, sharing: Sharing, repartition: Callable[[DataFrame], DataFrame], needed: bool
) -> None:
    """Spark drops its shuffle where the window's brings the rows of a key together."""
    window = f"SELECT k, row_number() OVER (PARTITION BY k ORDER BY h, id) AS n FROM {skewed('null')}"

    def placed(slidewise: str) -> tuple[Rows, DataFrame]:
        def asked() -> DataFrame:
            frame = repartition(spark.sql(f"SELECT k, n FROM ({window}) WHERE n > 0"))
            (key,) = {"k", "key"} & set(frame.columns)
            return frame.selectExpr(key, "spark_partition_id()", "n")

        return sharing.run(asked, {"spark.slidewise.enabled": slidewise})

    found, frame = placed("true")
    assert (tasks_of(frame)[0] > 1) != needed
    expected, _ = placed("false")
    assert sorted((row[0] or -1, row[2]) for row in found) == sorted((row[0] or -1, row[2]) for row in expected)
    if needed:
        assert len({row[:2] for row in found}) == 6


@pytest.mark.parametrize("above", ["k, n", "k, n + 1 AS n"])
def test_a_sort_keeps_the_rows_of_a_key_for_the_operators_above(
    spark: SparkSession, sharing: Sharing, above: str
) -> None:
    """The window sorts its rows in place of the user's sort."""
    window = f"SELECT k, sum(id) OVER (PARTITION BY k) AS n FROM {skewed('null')}"

    def asked() -> DataFrame:
        rows = spark.sql(f"SELECT {above} FROM ({window}) WHERE n > 0").sortWithinPartitions("k")
        return rows.selectExpr("k", "spark_partition_id()", "n")

    found, frame = sharing.run(asked, {})
    assert tasks_of(frame)[0] <= 1
    assert len({row[:2] for row in found}) == 6


@pytest.mark.parametrize(
    "change", [{THRESHOLD: "64m"}, {CORES: "2"}, {ADAPTIVE: "false"}, {"spark.slidewise.parallel.enabled": "false"}]
)
def test_what_is_not_shared(sharing: Sharing, change: dict[str, str], skew: str) -> None:
    if_detected(skew)
    query = f"SELECT id, sum(i) OVER (PARTITION BY k ORDER BY h, id ROWS 9 PRECEDING) FROM {skewed()}"
    _, frame = sharing.run(query, change)
    assert tasks_of(frame) == [0]


@pytest.mark.parametrize("repartition", ["REPARTITION(5, k)", "REPARTITION(k)"])
def test_the_shuffle_of_the_user_is_not_divided(sharing: Sharing, repartition: str, skew: str) -> None:
    """All columns are read, so that no projection lies between the window and the shuffle."""
    window = "sum(i) OVER (PARTITION BY k ORDER BY h, id ROWS 9 PRECEDING) AS moving"
    query = f"SELECT *, {window} FROM (SELECT /*+ {repartition} */ * FROM {skewed()})"
    found, frame = sharing.run(f"SELECT k, spark_partition_id() AS part, moving FROM ({query})", {})
    assert tasks_of(frame) == [0]
    assert len({row[:2] for row in found}) == len({row[0] for row in found}) == 7


@pytest.mark.parametrize(("least", "tasks"), [(ROWS + 1, 0), (ROWS // 2, 0), (ROWS // 4, 4)])
def test_rows_for_few_tasks_are_not_shuffled_again(sharing: Sharing, least: int, tasks: int, skew: str) -> None:
    """With two tasks, each would get as many rows as one with the hot key would save it."""
    if_detected(skew)
    query = f"SELECT id, sum(i) OVER (PARTITION BY k ORDER BY h, id ROWS 9 PRECEDING) FROM {skewed()}"
    _, frame = sharing.run(query, {"spark.slidewise.parallel.minRows": str(least)})
    assert tasks_of(frame) == [tasks]


def test_even_keys_are_not_shared(sharing: Sharing, skew: str) -> None:
    if_detected(skew)
    _, frame = sharing.run("SELECT id, sum(i) OVER (PARTITION BY h % 50 ORDER BY id ROWS 9 PRECEDING) FROM rows", {})
    assert tasks_of(frame) == [0]


def test_metrics_and_explain(spark: SparkSession, sharing: Sharing) -> None:
    query = f"SELECT id, sum(i) OVER (PARTITION BY k ORDER BY h, id ROWS 9 PRECEDING) AS s FROM {skewed()}"
    _, frame = sharing.run(query, {})
    (window,) = named(frame, "SlidingWindow")
    halo, tasks = (int(window.metrics().apply(name).value()) for name in ("haloRows", "tasks"))
    assert tasks > 1
    # At least the nine rows before each cut, of which most divide the hot key.
    assert halo > 9 * (tasks - 1) / 2
    assert int(window.metrics().apply("taskTime").value()) > 0
    with settings(spark, SHARED):
        (row,) = slidewise.explain(frame).collect()
    assert row.reason == "tasks share the rows, at least 50 each"


BY_KEY = "PARTITION BY k ORDER BY h, id ROWS 9 PRECEDING"
NOT_FROM_THE_START = {
    "windows by the same keys": f"""SELECT *, sum(s) OVER (PARTITION BY k ORDER BY i, id) AS t
      FROM (SELECT id, k, i, sum(i) OVER ({BY_KEY}) AS s FROM {skewed()})""",
    "a shuffle that is read twice": " UNION ALL ".join(
        f"SELECT id, {call}(i) OVER ({BY_KEY}) AS s FROM {skewed()}" for call in ("sum", "max")
    ),
    "a shuffle of the user": f"""SELECT id, sum(i) OVER ({BY_KEY}) AS s
      FROM (SELECT /*+ REPARTITION(5, k) */ * FROM {skewed()})""",
    "keys that may differ when a task runs again": """SELECT i, sum(n) OVER (PARTITION BY f ORDER BY i) AS s
      FROM (SELECT i, few, sum(1.0D / h) AS f, count(*) AS n FROM rows GROUP BY i, few)""",
    "functions that read one row after the other": f"""SELECT id, collect_list(i) OVER (PARTITION BY k ORDER BY h, id)
      FROM {skewed()}""",
}


@pytest.mark.parametrize("query", NOT_FROM_THE_START.values(), ids=NOT_FROM_THE_START)
def test_keys_that_are_hashed_although_skew_is_expected(sharing: Sharing, query: str, skew: str) -> None:
    if skew == "detected":
        pytest.skip("of windows that are shared from the start")
    found, frame = sharing.run(query, {})
    assert not any(tasks_of(frame))
    assert not named(frame, "RunsExchange")
    alone, spark_too = sharing.run(query, {"spark.slidewise.enabled": "false"})
    assert len(exchanges(frame)) == len(exchanges(spark_too))
    assert difference(found, alone, in_order=False) is None


def test_rows_of_one_file_are_shared_as_well(spark: SparkSession, sharing: Sharing, skew: str, tmp_path: Path) -> None:
    if skew == "detected":
        pytest.skip("a partition that one task wrote cannot be read by several")
    spark.sql(TABLE).coalesce(1).write.parquet(str(tmp_path / "file"))
    spark.read.parquet(str(tmp_path / "file")).createOrReplaceTempView("at_once")
    query = f"SELECT id, sum(i) OVER ({BY_KEY}) AS s FROM {skewed().replace('rows', 'at_once')}"
    sharing.ask(query, spark_too=True)


def exchanges(frame: DataFrame) -> list[object]:
    return [node for name in ("BlockExchange", "Exchange") for node in named(frame, name)]
