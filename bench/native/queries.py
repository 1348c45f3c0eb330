"""The windows that are timed beside a native engine, over one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ORDERED = "PARTITION BY k ORDER BY t, id"


def rows(n: int) -> str:
    return f"ROWS BETWEEN {n - 1} PRECEDING AND CURRENT ROW"


def each_row(call: str, window: str) -> str:
    return f"SELECT id, k, t, {call} OVER ({window}) AS w FROM t"


QUERIES = {
    "sum of 10 rows": each_row("sum(x)", f"{ORDERED} {rows(10)}"),
    "sum of 1,000 rows": each_row("sum(x)", f"{ORDERED} {rows(1_000)}"),
    "greatest of 10 rows": each_row("max(d)", f"{ORDERED} {rows(10)}"),
    "greatest of 1,000 rows": each_row("max(d)", f"{ORDERED} {rows(1_000)}"),
    "sum of a `RANGE`": each_row("sum(x)", "PARTITION BY k ORDER BY t RANGE BETWEEN 1000000 PRECEDING AND CURRENT ROW"),
    "running sum": each_row("sum(x)", f"{ORDERED} ROWS UNBOUNDED PRECEDING"),
    "`row_number`": each_row("row_number()", ORDERED),
    "`lag`": each_row("lag(x)", ORDERED),
    "`ntile`": each_row("ntile(4)", ORDERED),
    "mean of a key": each_row("avg(x)", "PARTITION BY k"),
    "mean of all rows": each_row("avg(x)", ""),
    "first row of a key": f"SELECT * FROM ({each_row('row_number()', ORDERED)}) WHERE w = 1",
    "sum of 10 rows, summed up by key": (
        f"SELECT k, sum(w) FROM ({each_row('sum(x)', f'{ORDERED} {rows(10)}')}) GROUP BY k"
    ),
}


def write(spark: Any, rows: int, folder: Path) -> Path:
    """The table: 1,000 keys, times in no order, an integer and a double."""
    path = folder / f"native-rows={rows}"
    if not (path / "_SUCCESS").exists():
        spark.range(0, rows, 1, 4).selectExpr(
            "id",
            "pmod(xxhash64(id), 1000) AS k",
            "pmod(xxhash64(id, 7), 1000000007) AS t",
            "cast(pmod(xxhash64(id, 3), 1000) AS int) AS x",
            "rand(1) AS d",
        ).write.mode("overwrite").parquet(str(path))
    return path
