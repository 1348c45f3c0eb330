"""Windows before cut-off times, compared with Featuretools."""

from __future__ import annotations

import math
import random
from datetime import datetime, timedelta
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812
from random_queries import seed_or

import slidewise
import slidewise.functions as sw
from joins.tables import assert_runs_on_slidewise

AGGREGATES = ("Sum", "Count", "Max", "Min", "Mean")
START = datetime(2024, 2, 28, 23)

# The minutes of a window, or none for all rows before; and whether events at the cut-off time count.
CASES = [(30, False), (30, True), (None, False), (None, True), (1, True)]


@pytest.mark.parametrize(("minutes", "includes_cutoff"), CASES)
def test_as_featuretools(spark: SparkSession, minutes: int | None, includes_cutoff: bool) -> None:
    pytest.importorskip("featuretools", reason="featuretools is not installed: see tests/requirements.txt")
    rng = random.Random(f"{seed_or(5)}/{minutes}/{includes_cutoff}")
    events = [
        (n, rng.choice("aab"), START + timedelta(minutes=rng.randrange(150)), rng.choice([None, *range(-4, 9)]))
        for n in range(120)
    ]
    labels = list({(rng.choice("aabc"), START + timedelta(minutes=rng.randrange(150))) for _ in range(60)})
    expected = by_featuretools(events, labels, minutes, includes_cutoff)
    frame = (
        Window.rangeBetween(Window.unboundedPreceding, Window.currentRow)
        if minutes is None
        else sw.trailing(interval=timedelta(minutes=minutes))
    )
    calls = {"Sum": F.sum("x"), "Count": F.count("*"), "Max": F.max("x"), "Min": F.min("x"), "Mean": F.avg("x")}
    joined = slidewise.window_join(
        spark.createDataFrame(labels, "k string, ts timestamp"),
        spark.createDataFrame(events, "n int, k string, ts timestamp, x int"),
        {name: (call, frame) for name, call in calls.items()},
        on="ts",
        by="k",
        closed="right" if includes_cutoff else "left",
    )
    assert_runs_on_slidewise(joined, "WindowJoin")
    found = {(row.k, row.ts): [row[name] for name in AGGREGATES] for row in joined.collect()}
    assert found.keys() == expected.keys()
    for label, values in found.items():
        for name, value, theirs in zip(AGGREGATES, values, expected[label], strict=True):
            if value is None:  # Featuretools has 0 for the sum of no values.
                assert theirs == (0 if name == "Sum" else None), (label, name)
            else:
                assert math.isclose(value, theirs), (label, name, value, theirs)
    assert sum(values[1] > 0 for values in found.values()) > 9


def by_featuretools(
    events: list[Any], labels: list[Any], minutes: int | None, includes_cutoff: bool
) -> dict[Any, list[float | None]]:
    import featuretools as ft
    from featuretools import primitives

    entities = ft.EntitySet()
    entities = entities.add_dataframe(
        dataframe_name="events",
        dataframe=pd.DataFrame(events, columns=["n", "k", "ts", "x"]).astype({"x": "float"}),
        index="n",
        time_index="ts",
    )
    keys = pd.DataFrame({"k": sorted({label[0] for label in labels})})
    entities = entities.add_dataframe(dataframe_name="keys", dataframe=keys, index="k")
    entities = entities.add_relationship("keys", "k", "events", "k")
    features = [
        ft.Feature(
            entities["events"].ww["n" if name == "Count" else "x"],
            parent_dataframe_name="keys",
            primitive=getattr(primitives, name),
        )
        for name in AGGREGATES
    ]
    matrix = ft.calculate_feature_matrix(
        features,
        entities,
        cutoff_time=pd.DataFrame(labels, columns=["k", "time"]),
        training_window=None if minutes is None else f"{minutes} minutes",
        include_cutoff_time=includes_cutoff,
        cutoff_time_in_index=True,
    )
    return {
        (key, time.to_pydatetime()): [None if pd.isna(value) else float(value) for value in row]
        for (key, time), row in zip(matrix.index, matrix.itertuples(index=False), strict=True)
    }
