"""The queries over the stream: Slidewise's, and what it is compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cases import Case
from data import SCHEMA, WATERMARK
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

SLIDEWISE = "Slidewise"

Query = Callable[[], DataFrame]


@dataclass(frozen=True)
class Variant:
    """A query over the stream; `of` is the batch query whose answers it has to give, by column `a`."""

    name: str
    query: Query
    of: str
    case: Case | None = None


class Streams:
    """All queries over the stream in one folder, a file a batch."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark = spark
        self.folder = folder

    def read(self) -> DataFrame:
        return self._spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(self.folder))

    def _timely(self) -> DataFrame:
        return self.read().withWatermark("ts", WATERMARK)

    def slidewise(self, case: Case) -> Variant:
        return Variant(SLIDEWISE, lambda: self._timely().selectExpr("*", case.answer), case.answer, case)

    def peers(self, name: str, cases: tuple[Case, ...]) -> list[Variant]:
        """The variants of a name: one, or one for each case that it can answer."""
        if name == "scan and shuffle":
            return [Variant(name, lambda: self.read().repartition(2, "k").selectExpr("*", "x AS a"), "x AS a")]
        if name == "one value a key and batch":
            return [Variant(name, lambda: self._floor("onceAKeyAndBatch"), "x AS a")]
        if name == "one value a row":
            return [Variant(name, lambda: self._floor("onceARow"), "x AS a")]
        if name == "self-join":
            durations = [case for case in cases if isinstance(case.frame, str)]
            return [Variant(name, lambda c=case: self._self_join(c), case.answer, case) for case in durations]
        lengths = [case for case in cases if isinstance(case.frame, int)]
        return [Variant(name, lambda c=case: self._list(c), case.answer, case) for case in lengths]

    def _floor(self, method: str) -> DataFrame:
        floors = self._spark._jvm.org.slidewise.bench.streams.Floors
        return DataFrame(getattr(floors, method)(self.read()._jdf), self._spark)

    def _self_join(self, case: Case) -> DataFrame:
        left = self._timely().withColumnsRenamed({name: f"_{name}" for name in ("k", "ts", "x", "v")})
        within = f"_k = k AND ts BETWEEN _ts - INTERVAL {case.frame} AND _ts"
        joined = left.join(self._timely(), expr(within))
        return joined.groupBy("_ts", "_k", "_x", "_v").agg({"x": "sum"}).toDF("ts", "k", "x", "v", "a")

    def _list(self, case: Case) -> DataFrame:
        from list_a_key import ListAKey

        assert isinstance(case.frame, int)
        grouped = self.read().groupBy("k")
        return grouped.transformWithStateInPandas(ListAKey(case.frame), f"{SCHEMA}, a double", "append", "none")
