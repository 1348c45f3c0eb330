"""Who runs the contenders: Spark with Slidewise on and off, DuckDB and libraries, each with its processor time."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Protocol

import frames
from cases import TEMPO, TEMPO_ON_SLIDEWISE, Contender
from data import Tables
from queries import checksum
from shared import engines as shared
from shared.events import EventLog
from shared.spark import SLIDEWISE, SPARK, Switched, operators, plan
from shared.tasks import Stage, stages

_TICKS = os.sysconf("SC_CLK_TCK")
_USER_TIME = 11
"""The place of utime among the fields of /proc/<pid>/stat that follow the name."""


class Engine(Protocol):
    name: str

    def prepare(self, one: Contender, tables: Tables) -> None: ...

    def run(self, sql: str) -> None:
        """Runs the prepared contender. The argument is for the interface of turns."""
        ...

    def cancel(self) -> None: ...

    def cpu(self) -> float:
        """Seconds of the processor that the engine's process has taken."""
        ...

    def stages(self) -> list[Stage]:
        """Of the run, if the engine tells."""
        ...

    def answer(self, one: Contender, tables: Tables) -> list[float]:
        """The checksum of the contender's answers."""
        ...


def named(name: str, spark: Any, log: EventLog) -> Engine:
    if name in (SLIDEWISE, SPARK):
        return Spark(spark, name, log)
    if name in (TEMPO, TEMPO_ON_SLIDEWISE):
        return Tempo(spark, SPARK if name == TEMPO else SLIDEWISE, log)
    return DuckDB() if name == shared.DUCKDB else frames.engine(name)


class Spark(Switched):
    def __init__(self, spark: Any, name: str, log: EventLog) -> None:
        super().__init__(spark, name)
        self._log, self._sql = log, ""
        self._usual: dict[str, str | None] = {}
        self._paths: dict[str, Path] = {}
        self._pid = spark._jvm.java.lang.ProcessHandle.current().pid()

    def prepare(self, one: Contender, tables: Tables) -> None:
        for key, value in self._usual.items():
            if value is None:
                self.spark.conf.unset(key)
            else:
                self.spark.conf.set(key, value)
        self._usual = {key: self.spark.conf.get(key, None) for key in one.settings}
        for key, value in one.settings.items():
            self.spark.conf.set(key, value)
        self._sql = one.sql.format(
            labels=self._source("labels", tables.labels),
            # Listing the files of each date is a part of reading a table by date.
            events=f"parquet.`{tables.events}`" if tables.partitioned else self._source("events", tables.events),
        )
        self.stages()

    def _source(self, view: str, path: Path) -> str:
        """A view of the file, whose schema Spark then reads once."""
        if self._paths.get(view) != path:
            self.spark.read.parquet(str(path)).createOrReplaceTempView(view)
            self._paths[view] = path
        return view

    def run(self, sql: str) -> None:
        super().run(self._sql)

    def cpu(self) -> float:
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[_USER_TIME : _USER_TIME + 2])) / _TICKS

    def stages(self) -> list[Stage]:
        return stages(self._log, self.spark)

    def answer(self, one: Contender, tables: Tables) -> list[float]:
        self.prepare(one, tables)
        frame = self.frame(checksum(self._sql, one.answers) if one.answers else self._sql)
        ours = operators(plan(frame))
        asked = one.operator in ours if one.operator else not ours
        assert asked, f"{one.name}: not what {self.name} should run:\n{plan(frame)}"
        return [*frame.collect()[0]] if one.answers else []


class Tempo(Spark):
    """dbl-tempo's join, which is a union and a window."""

    def prepare(self, one: Contender, tables: Tables) -> None:
        from tempo import TSDF

        super().prepare(one, tables)
        labels, events = (
            TSDF(self.spark.read.parquet(str(path)), ts_col="ts", partition_cols=["k"])
            for path in (tables.labels, tables.events)
        )
        labels.asofJoin(events, right_prefix="event").df.createOrReplaceTempView("tempo")
        self._sql = "SELECT id, event_x AS s FROM tempo"


class DuckDB(shared.DuckDB):
    def prepare(self, one: Contender, tables: Tables) -> None:
        self._sql = one.sql.format(labels=self.source(tables.labels), events=self.source(tables.events))

    def run(self, sql: str) -> None:
        super().run(self._sql)

    def cpu(self) -> float:
        return time.process_time()

    def stages(self) -> list[Stage]:
        return []

    def answer(self, one: Contender, tables: Tables) -> list[float]:
        self.prepare(one, tables)
        return self.one_row(checksum(self._sql, one.answers), "")
