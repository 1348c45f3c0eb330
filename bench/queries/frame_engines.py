"""Polars and pandas: rolling functions over data frames, where one of them says the same as the case."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cases import Case, Frame
from data import table
from engines import PANDAS, POLARS, THREADS, Answer

if TYPE_CHECKING:
    import pandas
    import polars

_METHODS = {"sum": "sum", "avg": "mean", "min": "min", "max": "max", "stddev": "std"}


class Polars:
    name = POLARS

    def __init__(self, cache: Path) -> None:
        # Read when the module is imported, and never again.
        os.environ["POLARS_MAX_THREADS"] = str(THREADS)
        import polars

        self._polars = polars
        self._cache = cache

    def can(self, case: Case) -> bool:
        return case.rolling is not None

    def walks(self, _: Case) -> bool:
        return False

    def run(self, case: Case, rows: int) -> None:
        self._frame(case, rows).collect()

    def answer(self, case: Case, rows: int) -> Answer:
        a = self._polars.col("a")
        weighted = (a * (self._polars.col("ts") % 1009)).sum()
        found = self._frame(case, rows).select(self._polars.len(), a.count().alias("n"), a.sum(), weighted.alias("w"))
        return Answer(*found.collect().row(0))

    def _frame(self, case: Case, rows: int) -> polars.LazyFrame:
        scan = self._polars.scan_parquet(table(rows, self._cache))
        if case.frame is Frame.RANGE:
            # rolling_*_by takes its order from ts itself, and is fastest over rows that have it already.
            return scan.sort("ts").with_columns(a=self._rolling(case).over("k"))
        return scan.with_columns(a=self._rolling(case).over("k", order_by="ts"))

    def _rolling(self, case: Case) -> polars.Expr:
        x = self._polars.col("x")
        name = case.rolling
        if name == "shrinking sum":
            return x.cum_sum(reverse=True)
        if name == "filtered sum":
            name, x = "sum", self._polars.when(self._polars.col("v") < 500).then(x)
        if name == "count":
            name, x = "sum", x.is_not_null().cast(self._polars.Float64)
        assert name is not None
        if case.frame is Frame.RANGE:
            by_ts = getattr(x, f"rolling_{_METHODS[name]}_by")
            rolling: polars.Expr = by_ts("ts", f"{case.reach}i", closed="both", min_samples=1)
        else:
            rolling = getattr(x, f"rolling_{_METHODS[name]}")(case.length, min_samples=1)
        return rolling


class Pandas:
    """On one thread: pandas has no more."""

    name = PANDAS

    def __init__(self, cache: Path) -> None:
        import pandas

        self._pandas = pandas
        self._cache = cache

    def can(self, case: Case) -> bool:
        return case.rolling is not None

    def walks(self, _: Case) -> bool:
        return False

    def run(self, case: Case, rows: int) -> None:
        self._frame(case, rows)

    def answer(self, case: Case, rows: int) -> Answer:
        found = self._frame(case, rows)
        a = found["a"]
        weighted = (a * (found["ts"] % 1009).to_numpy()).sum()
        return Answer(len(found), int(a.count()), float(a.sum()), float(weighted))

    def _frame(self, case: Case, rows: int) -> pandas.DataFrame:
        found = self._pandas.read_parquet(table(rows, self._cache)).sort_values(["k", "ts"], ignore_index=True)
        found["a"] = self._rolling(case, found).to_numpy()
        return found

    def _rolling(self, case: Case, found: pandas.DataFrame) -> Any:
        if case.rolling == "shrinking sum":
            return found["x"][::-1].groupby(found["k"]).cumsum()[::-1]
        name, x = case.rolling, found["x"]
        if name == "filtered sum":
            name, x = "sum", x.where(found["v"] < 500)
        assert name is not None
        method = _METHODS.get(name, name)
        if case.frame is Frame.RANGE:
            # Ranges are for times only, so ts stands for nanoseconds.
            times = self._pandas.to_datetime(found["ts"])
            by_time = self._pandas.DataFrame({"k": found["k"].to_numpy(), "x": x.to_numpy()}, index=times)
            window = by_time.groupby("k")["x"].rolling(self._pandas.Timedelta(case.reach, "ns"), closed="both")
        else:
            window = x.groupby(found["k"]).rolling(case.length, min_periods=1)
        return getattr(window, method)()
