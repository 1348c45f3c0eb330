"""Spark as it is, with its segment tree, with Slidewise, and the floor below which its own sort keeps it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from cases import Case
from data import table
from engines import FLOOR, SEGMENT_TREE, SLIDEWISE, SPARK, THREADS, Answer, checksum

EXTENSION = "org.slidewise.spark.SlidewiseExtensions"
_SEGMENT_TREE = "spark.sql.window.segmentTree.enabled"
_SWITCHES = {
    SLIDEWISE: {"spark.slidewise.enabled": "true", _SEGMENT_TREE: "false"},
    SPARK: {"spark.slidewise.enabled": "false", _SEGMENT_TREE: "false"},
    SEGMENT_TREE: {"spark.slidewise.enabled": "false", _SEGMENT_TREE: "true"},
}


def session() -> Any:
    """A session with Slidewise on: from the installed package, or else from the jar of this checkout."""
    from pyspark.sql import SparkSession

    builder = SparkSession.Builder().master(f"local[{THREADS}]").appName("bench/queries")
    for key, value in {
        "spark.sql.shuffle.partitions": THREADS,
        "spark.driver.memory": "8g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(key, str(value))
    if importlib.util.find_spec("slidewise"):
        import slidewise

        builder = slidewise.configure(builder)
    else:
        jar = _checkouts_jar()
        builder = builder.config("spark.jars", jar).config("spark.driver.extraClassPath", jar)
        builder = builder.config("spark.sql.extensions", EXTENSION)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _checkouts_jar() -> str:
    import pyspark

    jars = Path(__file__).resolve().parents[2] / "python/src/slidewise/jars"
    minor = ".".join(pyspark.__version__.split(".")[:2])
    found = sorted(jars.glob(f"slidewise-spark-{minor}_*.jar"))
    if not found:
        raise FileNotFoundError(f"no jar for Spark {minor} in {jars}: make jars builds it")
    return str(found[-1])


class Spark:
    def __init__(self, spark: Any, cache: Path, name: str) -> None:
        self.name = name
        self._spark = spark
        self._cache = cache

    def can(self, case: Case) -> bool:
        return case.segment_tree or self.name != SEGMENT_TREE

    def run(self, case: Case, rows: int) -> None:
        self._dataframe(case, rows).write.format("noop").mode("overwrite").save()

    def answer(self, case: Case, rows: int) -> Answer:
        answers = self._dataframe(case, rows)
        _assert_planned(answers, self.name)
        answers.createOrReplaceTempView("answers")
        found = self._spark.sql(f"SELECT {checksum(case.digest, case.same, 'bigint')} FROM answers")
        answer = Answer(*found.collect()[0])
        _assert_executed(found, self.name)
        return answer

    def _dataframe(self, case: Case, rows: int) -> Any:
        for key, value in _SWITCHES[self.name].items():
            self._spark.conf.set(key, value)
        window = f"(PARTITION BY k ORDER BY ts {case.frame_sql})"
        return self._spark.sql(f"SELECT k, ts, x, v, {case.function} OVER {window} a FROM {self._view(rows)}")

    def _view(self, rows: int) -> str:
        name = f"rows_{rows}"
        if not self._spark.catalog.tableExists(name):
            self._spark.read.parquet(str(table(rows, self._cache))).createOrReplaceTempView(name)
        return name


class Floor(Spark):
    """row_number() over the same window: scan, shuffle and sort, and next to nothing after them."""

    def __init__(self, spark: Any, cache: Path) -> None:
        super().__init__(spark, cache, SPARK)
        self.name = FLOOR

    def can(self, case: Case) -> bool:
        return False

    def _dataframe(self, case: Case, rows: int) -> Any:
        for key, value in _SWITCHES[SPARK].items():
            self._spark.conf.set(key, value)
        over = "(PARTITION BY k ORDER BY ts)"
        return self._spark.sql(f"SELECT k, ts, x, v, row_number() OVER {over} a FROM {self._view(rows)}")


def _assert_planned(answers: Any, engine: str) -> None:
    plan = answers._jdf.queryExecution().executedPlan().toString()
    assert ("SlidingWindow " in plan) == (engine == SLIDEWISE), f"not what {engine} should run:\n{plan}"


def _assert_executed(found: Any, engine: str) -> None:
    """The segment tree shows in no plan, only in the metrics of the operator that ran."""
    if engine not in (SPARK, SEGMENT_TREE):
        return
    frames = _metric(found._jdf.queryExecution().executedPlan(), "numSegmentTreeFrames")
    assert (frames > 0) == (engine == SEGMENT_TREE), f"{engine} answered {frames} partitions with the segment tree"


def _metric(plan: Any, name: str) -> int:
    """The sum of a metric over a plan, also below what adaptive execution wraps."""
    metric = plan.metrics().get(name)
    here = metric.get().value() if metric.isDefined() else 0
    wrapped = {"AdaptiveSparkPlan": "executedPlan", "ShuffleQueryStage": "plan", "ResultQueryStage": "plan"}
    inner = wrapped.get(plan.nodeName())
    if inner is not None:
        return here + _metric(getattr(plan, inner)(), name)
    children = plan.children()
    return here + sum(_metric(children.apply(i), name) for i in range(children.size()))
