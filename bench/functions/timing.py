"""Times queries in turns: what stands in one line of a table ran turn by turn, over the same rows."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from calls import Peer
from pyspark.sql import SparkSession

SLIDEWISE, SPARK, TODAY = "Slidewise", "Spark", "without the function"
OVER = "OVER (ORDER BY t ROWS BETWEEN {before} PRECEDING AND CURRENT ROW)"
_LONG_ENOUGH = 0.4
"""Seconds that a probe takes at least, so that it is not all start-up."""


@dataclass
class Timing:
    """`expected`: seconds that a query would have taken that was not run."""

    call: str
    without: str
    frame: int
    rows: int
    engine: str
    seconds: list[float] = field(default_factory=list)
    expected: float | None = None


class Bench:
    def __init__(self, spark: SparkSession, limit: float, turns: int, tell: Callable[[str], None]) -> None:
        self.spark, self.limit, self.turns, self.tell = spark, limit, turns, tell
        # What the shortest query took: no work, only what each costs.
        self.least = float("inf")

    def measured(self, calls: list[Peer], frames: Iterable[int]) -> list[Timing]:
        for call in calls[:2]:
            self._seconds(call, SLIDEWISE, 10, 20_000)
        return [timing for call in calls for frame in frames for timing in self._in_turns(call, frame)]

    def _in_turns(self, call: Peer, frame: int) -> list[Timing]:
        self._check(call)
        sizes = [200_000, 20_000] if frame < 10_000 else [2 * frame]
        expected = {engine: self._expected(call, engine, frame, sizes) for engine in (SLIDEWISE, SPARK, TODAY)}
        # As many rows as both operators can do, or else as few as Slidewise does for a frame to be full.
        both = (expected[SLIDEWISE], expected[SPARK])
        rows = next((n for n in sizes if all(e(n) <= self.limit for e in both)), sizes[-1])
        found = [Timing(call.name, call.without, frame, rows, engine) for engine in expected]
        fit = [timing for timing in found if expected[timing.engine](rows) <= self.limit]
        for _, timing in itertools.product(range(self.turns), fit):
            timing.seconds.append(round(self._seconds(call, timing.engine, frame, rows), 4))
        for timing in found:
            if timing not in fit:
                timing.expected = float(f"{expected[timing.engine](rows):.1g}")
        self.tell(f"{call.name} {frame}: " + ", ".join(f"{t.engine} {t.seconds or t.expected}" for t in found))
        return found

    def _expected(self, call: Peer, engine: str, frame: int, sizes: list[int]) -> Callable[[int], float]:
        """The seconds so many rows take, from runs on more and more of them."""
        walks = engine != SLIDEWISE

        def work(rows: int) -> float:
            return rows * (min(frame, rows) - min(frame, rows) ** 2 / (2 * rows) if walks else 1)

        rows, took = 500, 0.0
        while True:
            took = min(self._seconds(call, engine, frame, rows) for _ in range(2))
            more = rows * 4
            if rows >= sizes[0] or took - self.least >= _LONG_ENOUGH:
                return lambda n: self.least + (took - self.least) * work(n) / work(rows)
            rows = more

    def _seconds(self, call: Peer, engine: str, frame: int, rows: int) -> float:
        self.spark.conf.set("spark.slidewise.enabled", str(engine == SLIDEWISE).lower())
        said = (call.today if engine == TODAY else call.ours).replace("{w}", OVER.format(before=frame - 1))
        self._table(rows)
        start = time.perf_counter()
        self.spark.sql(f"SELECT {said} AS answer FROM t").write.format("noop").mode("overwrite").save()
        took = time.perf_counter() - start
        self.least = min(self.least, took)
        return took

    def _table(self, rows: int) -> None:
        self.spark.range(0, rows, 1, 1).selectExpr("id AS t", "(id * 7919) % 101 AS x").createOrReplaceTempView("t")

    def _check(self, call: Peer) -> None:
        """That what is compared answers the same."""
        if call.same is None:
            return
        self.spark.conf.set("spark.slidewise.enabled", "true")
        self._table(1_000)
        ours, today = (said.replace("{w}", OVER.format(before=99)) for said in (call.ours, call.today))
        # A query each: Spark does not mix UDFs and aggregates over one window.
        a, b = (f"(SELECT t, {said} AS v FROM t)" for said in (ours, today))
        same = call.same.format(a="a.v", b="b.v")
        sql = (
            f"SELECT count_if(NOT coalesce({same}, a.v IS NULL AND b.v IS NULL)) FROM {a} AS a JOIN {b} AS b USING (t)"
        )
        wrong = self.spark.sql(sql).first()[0]
        if wrong:
            raise AssertionError(f"{wrong} of 1000 answers of {call.name} are not those of {call.without}")
