"""Polars, pandas and Featuretools, in this process. None can be stopped: a run that lasts too long is only marked."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cases import FEATURETOOLS, PANDAS, POLARS, Contender
from data import FRAME_DAYS, Tables
from shared.engines import THREADS

if TYPE_CHECKING:
    from shared.tasks import Stage

_HASH = 1009


class _Frames:
    """Reads both files, joins, and keeps the answer until the next run."""

    def __init__(self, name: str, ways: dict[str, Callable[[Tables], Any]]) -> None:
        self.name, self._ways = name, ways
        self._next: Callable[[], Any] = lambda: None

    def prepare(self, one: Contender, tables: Tables) -> None:
        self._next = lambda: self._ways[one.sql](tables)

    def run(self, sql: str) -> None:
        self._next()

    def cancel(self) -> None:
        pass

    def cpu(self) -> float:
        return time.process_time()

    def stages(self) -> list[Stage]:
        return []

    def answer(self, one: Contender, tables: Tables) -> list[float]:
        found = self._ways[one.sql](tables)
        places = found["id"] % _HASH
        sums = [(len(c) - _nulls(c), c.sum(), (c * places).sum()) for c in (found[name] for name in one.answers)]
        return [len(found), *(float(value) for three in sums for value in three)]


def _nulls(column: Any) -> int:
    return int(column.null_count() if hasattr(column, "null_count") else column.isna().sum())


def engine(name: str) -> _Frames:
    if name == FEATURETOOLS:
        return _featuretools()
    return _polars() if name == POLARS else _pandas()


def _polars() -> _Frames:
    # Read when the module is imported, and never again.
    os.environ["POLARS_MAX_THREADS"] = str(THREADS)
    import polars as pl

    def asof(tables: Tables, by: str | None) -> Any:
        labels, events = (pl.scan_parquet(path).sort("ts") for path in (tables.labels, tables.events))
        labels = labels.select("id", "k", "ts")
        return labels.join_asof(events, on="ts", by=by).select("id", pl.col("x").alias("s")).collect()

    def window(tables: Tables) -> Any:
        labels = pl.scan_parquet(tables.labels).select("id", "k", "ts")
        labels = labels.with_columns(since=pl.col("ts") - pl.duration(days=FRAME_DAYS))
        events = pl.scan_parquet(tables.events).rename({"k": "event_k", "ts": "event_ts"})
        pairs = labels.join_where(
            events,
            pl.col("k") == pl.col("event_k"),
            pl.col("event_ts") >= pl.col("since"),
            pl.col("event_ts") < pl.col("ts"),
        )
        x = pl.col("x")
        sums = pairs.group_by("id").agg(x.sum().cast(pl.Int64).alias("s"), x.count().alias("n"), x.max().alias("m"))
        joined = labels.select("id").join(sums, on="id", how="left")
        return joined.with_columns(pl.col("n").fill_null(0).cast(pl.Int64)).collect()

    return _Frames(
        POLARS, {"asof": lambda t: asof(t, "k"), "asof_without_keys": lambda t: asof(t, None), "window": window}
    )


def _pandas() -> _Frames:
    import pandas as pd

    def asof(tables: Tables, by: str | None) -> Any:
        labels = pd.read_parquet(tables.labels, columns=["id", "k", "ts"]).sort_values("ts")
        events = pd.read_parquet(tables.events).sort_values("ts")
        events = events if by else events.drop(columns="k")
        return pd.merge_asof(labels, events, on="ts", by=by).rename(columns={"x": "s"})

    return _Frames(PANDAS, {"asof": lambda t: asof(t, "k"), "asof_without_keys": lambda t: asof(t, None)})


def _featuretools() -> _Frames:
    import featuretools as ft
    import pandas as pd
    from featuretools import primitives

    def window(tables: Tables) -> Any:
        labels = pd.read_parquet(tables.labels, columns=["id", "k", "ts"])
        events = pd.read_parquet(tables.events).rename_axis("n").reset_index()
        entities = ft.EntitySet()
        entities.add_dataframe(dataframe_name="events", dataframe=events, index="n", time_index="ts")
        keys = pd.DataFrame({"k": sorted(set(labels["k"]))})
        entities.add_dataframe(dataframe_name="keys", dataframe=keys, index="k")
        entities.add_relationship("keys", "k", "events", "k")
        columns = {"s": ("x", primitives.Sum), "n": ("n", primitives.Count), "m": ("x", primitives.Max)}
        matrix = ft.calculate_feature_matrix(
            [
                ft.Feature(entities["events"].ww[column], parent_dataframe_name="keys", primitive=primitive)
                for column, primitive in columns.values()
            ],
            entities,
            cutoff_time=labels.rename(columns={"ts": "time"})[["k", "time", "id"]],
            training_window=f"{FRAME_DAYS} days",
            include_cutoff_time=False,
        )
        return matrix.set_axis([*columns, "id"], axis=1)

    return _Frames(FEATURETOOLS, {"window": window})
