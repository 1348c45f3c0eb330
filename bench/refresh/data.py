"""Two years of events in a folder for each day, and the stored result of a query without the newest ones."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cases import DAYS, LATE_ROWS, Case

_EVENTS = """
    SELECT id, {key} AS k, ts, CAST(ts AS DATE) AS day, id * 7919 % 1000 AS x,
      CAST(ts AS DATE) = DATE'2024-01-01' + {last} AND ({key} % {one_in} = 0) AS is_new,
      CAST(ts AS DATE) >= DATE'2024-01-01' + {last} - 30 AND id % {late} = 0 AS is_late
    FROM (SELECT id, timestamp_micros(1704067200000000 + CAST(id AS BIGINT) * {step}) AS ts FROM range({rows}))"""


@dataclass(frozen=True)
class Tables:
    events: Path
    changes: Path
    """The new rows once more, as a job has them that appends them."""

    stored: Path
    """The result without the new rows."""

    work: Path
    """A copy of it that is refreshed."""

    def restore(self) -> None:
        """The stored result as it was: by links, since files of tables do not change."""
        shutil.rmtree(self.work, ignore_errors=True)
        subprocess.run(["cp", "-al", self.stored, self.work], check=True)


def make(spark: Any, case: Case, rows: int, keys: int, cache: Path) -> Tables:
    """The tables of a case, made once for a number of rows and keys."""
    one_in = 50 if case.quiet_keys else 1
    name = f"refresh-{rows}-{keys}-{one_in}"
    events = cache / name
    if not (events / "_SUCCESS").exists():
        made = _EVENTS.format(
            key=f"(id * 31 % {keys})",
            last=DAYS - 1,
            one_in=one_in,
            late=max(1, rows * 31 // DAYS // LATE_ROWS),
            step=DAYS * 86_400_000_000 // rows,
            rows=rows,
        )
        whole = spark.sql(made)
        last = f"day = DATE'2024-01-01' + {DAYS - 1}"
        kept = whole.where(f"NOT ({last}) OR is_new").repartitionByRange(64, "day")
        kept.write.partitionBy("day").mode("overwrite").parquet(str(events))
    changes = cache / f"{name}-{case.new}"
    if not (changes / "_SUCCESS").exists():
        spark.read.parquet(str(events)).where(case.new).coalesce(1).write.parquet(str(changes))
    stored = cache / f"{name}-{case.name.replace(' ', '-').replace(',', '')}"
    if not (stored / "_SUCCESS").exists():
        spark.read.parquet(str(events)).where(f"NOT {case.new}").createOrReplaceTempView("events")
        write(spark, case, stored)
    return Tables(events, changes, stored, cache / "refresh-work")


def write(spark: Any, case: Case, folder: Path) -> None:
    """Computes the whole query."""
    result = spark.sql(case.query)
    result.hint("rebalance", "day").write.partitionBy("day").mode("overwrite").parquet(str(folder))
