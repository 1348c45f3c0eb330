"""Checkpoints of GROUP BY window(): who begins one goes on with it, and says so, or refuses in words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cases import crossed
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from session import settings

from streams.hopping import Stream, feed_of, row
from streams.test_hopping_modes import MODES, STORES, one_short, random_batches, sums

pytestmark = pytest.mark.usefixtures("one_partition")

CHANGED = "SLIDEWISE_STREAM_CHECKPOINT_CHANGED"


def description_in(checkpoint: Path) -> Path:
    return checkpoint / "slidewise" / "0.json"


def stream_of(spark: SparkSession, folder: Path, mode: str = "update", batches: int = 2) -> Stream:
    """A query that has seen `batches` batches, and two more that are to come."""
    return Stream(spark, feed_of(folder, *random_batches(11, batches)), sums, mode)


def more(stream: Stream) -> None:
    last = max(r["ts"] for r in stream.feed.rows)
    for rows in random_batches(12, 2):
        first = min(r["ts"] for r in rows)
        stream.feed.arrive([r | {"ts": r["ts"] + (last - first)} for r in rows])


@pytest.fixture(scope="module")
def seen(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Stream, Path]:
    """A query that has seen its batches, and its checkpoint."""
    folder = tmp_path_factory.mktemp("seen")
    stream = stream_of(spark, folder)
    stream.run(folder / "on")
    return stream, folder / "on"


@pytest.fixture
def begun(seen: tuple[Stream, Path], tmp_path: Path) -> Path:
    """A copy of the checkpoint."""
    return Path(shutil.copytree(seen[1], tmp_path / "on"))


@pytest.mark.parametrize(("store", "mode"), crossed(STORES, MODES))
def test_goes_on_from_its_checkpoint(spark: SparkSession, tmp_path: Path, store: str, mode: str) -> None:
    stream = stream_of(spark, tmp_path, mode)
    chosen = {"spark.sql.streaming.stateStore.providerClass": STORES[store], "spark.sql.shuffle.partitions": 2}
    with settings(spark, chosen):
        begun = [stream.run(tmp_path / name, enabled=name == "on") for name in ("on", "off")]
        more(stream)
        went_on = [stream.run(tmp_path / name, enabled=name == "on") for name in ("on", "off")]
    assert begun[0].operators == went_on[0].operators == ["hoppingWindow"]
    assert begun[0].batches == begun[1].batches
    assert went_on[0].batches == went_on[1].batches != {}


def test_columns_that_spark_names_anew_in_each_run_go_on(spark: SparkSession, tmp_path: Path) -> None:
    def computed(rows: DataFrame) -> DataFrame:
        grouped = rows.groupBy(f.expr("upper(k)"), f.expr("n % 2"), f.window("ts", "30 seconds", "10 seconds"))
        return grouped.agg(f.count_if(f.expr("n > 2")), f.expr("sum(nullif(n, 3))"))

    stream = Stream(spark, feed_of(tmp_path, *random_batches(14, 2)), computed, "update")
    stream.run(tmp_path / "on")
    more(stream)
    assert stream.run(tmp_path / "on").operators == ["hoppingWindow"]
    described = json.loads(description_in(tmp_path / "on").read_text())
    assert [key["sql"] for key in described["keys"]] == ["upper(k)", "(n % CAST(2 AS BIGINT))", "window"]


@pytest.mark.parametrize("mode", one_short("update"))
def test_spark_goes_on_with_what_it_has_begun(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    stream = stream_of(spark, tmp_path, mode)
    stream.run(tmp_path / "mixed", enabled=False)
    stream.run(tmp_path / "off", enabled=False)
    more(stream)
    mixed, off = stream.run(tmp_path / "mixed"), stream.run(tmp_path / "off", enabled=False)
    assert mixed.operators == off.operators == ["stateStoreSave"]
    assert mixed.batches == off.batches != {}
    # And another query of the same session is not affected.
    assert stream.run(tmp_path / "new").operators == ["hoppingWindow"]


@pytest.mark.long
def test_each_operator_goes_on_with_its_own_state(spark: SparkSession, tmp_path: Path) -> None:
    """The first aggregation, over tumbling windows, is Spark's, and the second one Slidewise's."""

    def twice(rows: DataFrame) -> DataFrame:
        first = rows.groupBy("k", f.window("ts", "10 seconds")).agg(f.sum("n").alias("s"))
        return first.groupBy(f.window(f.window_time("window"), "1 minute", "30 seconds")).agg(f.max("s"))

    stream = Stream(spark, feed_of(tmp_path, *random_batches(13)), twice, "append")
    begun = [stream.run(tmp_path / name, enabled=name == "on") for name in ("on", "off")]
    more(stream)
    went_on = [stream.run(tmp_path / name, enabled=name == "on") for name in ("on", "off")]
    assert sorted(went_on[0].operators) == ["hoppingWindow", "stateStoreSave"]
    assert begun[0].batches == begun[1].batches != {}
    assert went_on[0].batches == went_on[1].batches


def test_off_a_checkpoint_of_slidewise_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    stream = stream_of(spark, tmp_path)
    stream.run(tmp_path / "on")
    more(stream)
    with pytest.raises(AnalysisException, match=CHANGED) as refused:
        stream.run(tmp_path / "on", enabled=False)
    assert "was begun by Slidewise, which keeps hopping windows by pane" in str(refused.value)
    assert "Set spark.slidewise.enabled to true" in str(refused.value)
    assert stream.run(tmp_path / "on").operators == ["hoppingWindow"]


def test_a_query_that_slidewise_leaves_to_spark_is_refused(
    spark: SparkSession, seen: tuple[Stream, Path], begun: Path
) -> None:
    def tumbling(rows: DataFrame) -> DataFrame:
        return rows.groupBy("k", f.window("ts", "10 seconds")).agg(f.sum("n"), f.count("*"), f.max("ts"))

    with pytest.raises(AnalysisException, match=CHANGED) as refused:
        Stream(spark, seen[0].feed, tumbling, "update").run(begun)
    assert "Continue with the query that has begun it" in str(refused.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda r: sums(r, "40 seconds"), "windows of 40000000 µs every 10000000 µs from 0 µs"),
        (lambda r: sums(r).drop("max(ts)"), "sum(n), count(1) GROUP BY"),
        (lambda r: r.groupBy("n", f.window("ts", "30 seconds", "10 seconds")).agg(f.sum("n")), "GROUP BY n"),
    ],
    ids=["size", "functions", "keys"],
)
def test_other_windows_are_refused(
    spark: SparkSession, seen: tuple[Stream, Path], begun: Path, change: object, says: str
) -> None:
    with pytest.raises(AnalysisException, match=CHANGED) as refused:
        Stream(spark, seen[0].feed, change, "update").run(begun)  # type: ignore[arg-type]
    assert "belongs to another query" in str(refused.value)
    asked = str(refused.value).split("The query has:")[1]
    assert says in asked
    assert says not in str(refused.value).split("The query has:")[0]


def test_a_format_of_a_later_version_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    stream = stream_of(spark, tmp_path)
    stream.run(tmp_path / "on")
    more(stream)
    described = description_in(tmp_path / "on")
    described.with_name(f".{described.name}.crc").unlink(missing_ok=True)
    described.write_text(json.dumps(json.loads(described.read_text()) | {"format": 99}))
    with pytest.raises(AnalysisException, match="is in format 99"):
        stream.run(tmp_path / "on")


def test_the_checkpoint_describes_itself(spark: SparkSession, begun: Path) -> None:
    kept = json.loads(description_in(begun).read_text())
    assert kept["windows"] == {"size": 30_000_000, "slide": 10_000_000, "offset": 0}
    assert [key["sql"] for key in kept["keys"]] == ["k", "window"]
    assert kept["keyTypes"] == ["string"]
    assert [function["sql"] for function in kept["functions"]] == ["sum(n)", "count(1)", "max(ts)"]
    state = spark.read.format("statestore").load(str(begun))
    assert state.selectExpr("key.pane", "value.buffer0").count() > 0


def test_without_slidewise_spark_refuses_the_state(spark: SparkSession, tmp_path: Path) -> None:
    """Spark names operators in the checkpoint. The file of Slidewise is gone, as its check is without the jar."""
    stream = stream_of(spark, tmp_path)
    stream.run(tmp_path / "on")
    description_in(tmp_path / "on").unlink()
    stream.feed.arrive([row("a", 10_000, 1)])
    with pytest.raises(PySparkException, match="hoppingWindow"):
        stream.run(tmp_path / "on", enabled=False)
