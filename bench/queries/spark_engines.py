"""Spark as it is, with its segment tree, with Slidewise, and the floor below which its own sort keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import shared.spark
from cases import Case, Frame
from data import table
from engines import FLOOR, SEGMENT_TREE, SLIDEWISE, SPARK, THREADS, Answer, checksum
from spark_metrics import MEMORY, metric

_SEGMENT_TREE = "spark.sql.window.segmentTree.enabled"
_SWITCHES = {
    SLIDEWISE: {"spark.slidewise.enabled": "true", _SEGMENT_TREE: "false"},
    SPARK: {"spark.slidewise.enabled": "false", _SEGMENT_TREE: "false"},
    SEGMENT_TREE: {"spark.slidewise.enabled": "false", _SEGMENT_TREE: "true"},
}


def session() -> Any:
    """A session with Slidewise on."""
    spark = shared.spark.session("bench/queries", THREADS, MEMORY.settings())
    _register_aggregator(spark)
    return spark


def _register_aggregator(spark: Any) -> None:
    """An `Aggregator` of Spark's Scala API as `typed_sum`: one that Spark carries, so that none is to be compiled."""
    jvm = spark._jvm
    identity = getattr(jvm.scala.Predef, "$conforms")()
    sql = jvm.org.apache.spark.sql
    package = sql.execution.aggregate if spark.version.startswith("3.") else sql.internal
    aggregator = package.TypedSumDouble(identity)
    double = jvm.org.apache.spark.sql.Encoders.scalaDouble()
    spark._jsparkSession.udf().register("typed_sum", jvm.org.apache.spark.sql.functions.udaf(aggregator, double))


def has_segment_tree(spark: Any) -> bool:
    return bool(spark._jsparkSession.conf().getOption(_SEGMENT_TREE).isDefined())


class Spark:
    def __init__(self, spark: Any, cache: Path, name: str) -> None:
        self.name = name
        self._spark = spark
        self.cache = cache

    def can(self, case: Case) -> bool:
        if self.name == SLIDEWISE:
            return True
        return case.in_spark and (self.name != SEGMENT_TREE or self._has_tree_for(case))

    def _has_tree_for(self, case: Case) -> bool:
        """The tree of Spark 4.2 evaluates no frames that end with the partition."""
        return case.segment_tree and (case.frame is not Frame.SHRINKING or not self._spark.version.startswith("4.2."))

    def walks(self, _: Case) -> bool:
        return self.name == SPARK

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

    def peak_memory(self, case: Case, rows: int) -> int:
        """The most bytes that one of the query's tasks held."""
        MEMORY.largest_task(self._spark)
        self.run(case, rows)
        return MEMORY.largest_task(self._spark)

    def executed_plan(self, case: Case, rows: int) -> Any:
        """The plan after a run, with its metrics."""
        execution = self._dataframe(case, rows)._jdf.queryExecution()
        execution.toRdd().count()
        return execution.executedPlan()

    def _dataframe(self, case: Case, rows: int) -> Any:
        self._switch(self.name)
        return self._spark.sql(f"SELECT *, {case.windows} FROM {self._view(case, rows)}")

    def _switch(self, name: str) -> None:
        for key, value in _SWITCHES[name].items():
            if key != _SEGMENT_TREE or has_segment_tree(self._spark):
                self._spark.conf.set(key, value)

    def _view(self, case: Case, rows: int) -> str:
        name = f"{case.shape.name}_{rows}".replace("-", "_")
        if not self._spark.catalog.tableExists(name):
            self._spark.read.parquet(str(table(rows, self.cache, case.shape))).createOrReplaceTempView(name)
        return name


class Floor(Spark):
    """Spark's own row_number() over the same window: scan, shuffle and sort, and next to nothing after them.

    With Slidewise on, row_number() would run on Slidewise.
    """

    def __init__(self, spark: Any, cache: Path) -> None:
        super().__init__(spark, cache, SPARK)
        self.name = FLOOR

    def can(self, case: Case) -> bool:
        return False

    def _dataframe(self, case: Case, rows: int) -> Any:
        self._switch(SPARK)
        over = f"({case.partition_and_order})"
        return self._spark.sql(f"SELECT *, row_number() OVER {over} a FROM {self._view(case, rows)}")


def _assert_planned(answers: Any, engine: str) -> None:
    plan = answers._jdf.queryExecution().executedPlan().toString()
    assert ("SlidingWindow " in plan) == (engine == SLIDEWISE), f"not what {engine} should run:\n{plan}"


def _assert_executed(found: Any, engine: str) -> None:
    """The segment tree shows in no plan, only in the metrics of the operator that ran."""
    if engine not in (SPARK, SEGMENT_TREE) or not has_segment_tree(found.sparkSession):
        return
    frames = metric(found._jdf.queryExecution().executedPlan(), "numSegmentTreeFrames")
    assert (frames > 0) == (engine == SEGMENT_TREE), f"{engine} answered {frames} partitions with the segment tree"
