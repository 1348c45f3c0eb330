"""The functions beside those of others: DuckDB, Polars, pandas and scikit-learn."""

from __future__ import annotations

import math
import random
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import crossed, long_if
from pyspark.sql import SparkSession
from sklearn.naive_bayes import CategoricalNB, GaussianNB

ROWS = 400


def series(seed: int) -> pd.DataFrame:
    rng = random.Random(seed)
    nulls = rng.choice([0.0, 0.2])
    x = [None if rng.random() < nulls else rng.randint(-20, 20) for _ in range(ROWS)]
    positive = [rng.uniform(0.1, 50) for _ in range(ROWS)]
    return pd.DataFrame({"i": range(ROWS), "g": [i % 7 for i in range(ROWS)], "x": pd.array(x, "Int64"), "p": positive})


def asked(spark: SparkSession, table: pd.DataFrame, sql: str) -> list[tuple[Any, ...]]:
    rows = [
        tuple(None if value is pd.NA else value for value in row)
        for row in table.astype(object).itertuples(index=False)
    ]
    spark.createDataFrame(rows, "i int, g int, x int, p double").createOrReplaceTempView("t")
    return [tuple(row) for row in spark.sql(sql).collect()]


def close(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return bool(a == b)


def assert_same(found: list[tuple[Any, ...]], expected: list[tuple[Any, ...]]) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert all(close(a, b) for a, b in zip(one, other, strict=True)), (one, other)


@pytest.mark.parametrize(
    ("seed", "frame"),
    crossed(range(4), ["9 PRECEDING AND CURRENT ROW", "30 PRECEDING AND 5 FOLLOWING", "2 FOLLOWING AND 4 FOLLOWING"]),
)
def test_duckdb_over_frames(spark: SparkSession, seed: int, frame: str) -> None:
    table = series(seed)
    window = f"(PARTITION BY g % 2 ORDER BY i ROWS BETWEEN {frame})"
    ours = "geomean(p) OVER w, arg_max(i, x) OVER w, arg_min(p, x) OVER w, top_k(x, 3) OVER w, bottom_k(x, 3) OVER w"
    theirs = (
        "geomean(p) OVER w, arg_max_null(i, x) OVER w, arg_min_null(p, x) OVER w, max(x, 3) OVER w, min(x, 3) OVER w"
    )
    found = asked(spark, table, f"SELECT i, {ours} FROM t WINDOW w AS {window} ORDER BY i")
    with duckdb.connect() as connection:
        connection.register("t", table)
        expected = connection.execute(f"SELECT i, {theirs} FROM t WINDOW w AS {window} ORDER BY i").fetchall()
    assert_same(found, expected)


@pytest.mark.parametrize("seed", long_if(bool, [(seed,) for seed in range(4)]))
def test_duckdb_by_group(spark: SparkSession, seed: int) -> None:
    table = series(seed)
    query = "SELECT g, geomean(p), {arg}(i, i * 37 % 401), {top}(x, 2), {by} FROM t GROUP BY g ORDER BY g"
    ours = query.format(arg="arg_max", top="top_k", by="top_k_by(i, i * 37 % 401, 2)")
    theirs = query.format(arg="arg_max", top="max", by="arg_max(i, i * 37 % 401, 2)")
    with duckdb.connect() as connection:
        connection.register("t", table)
        expected = connection.execute(theirs).fetchall()
    assert_same(asked(spark, table, ours), expected)


def test_duckdb_product(spark: SparkSession) -> None:
    table = series(0)
    with duckdb.connect() as connection:
        connection.register("t", table)
        sql = "SELECT pow(product(p) OVER w, 1.0 / count(*) OVER w) FROM t WINDOW w AS (ORDER BY i ROWS 4 PRECEDING)"
        expected = connection.execute(f"{sql} ORDER BY i").fetchall()
    assert_same(asked(spark, table, "SELECT geomean(p) OVER (ORDER BY i ROWS 4 PRECEDING) FROM t ORDER BY i"), expected)


@pytest.mark.parametrize(("alpha", "adjust"), crossed([0.05, 0.5, 1.0], [True, False]))
def test_pandas_ewm(spark: SparkSession, alpha: float, adjust: bool) -> None:
    """pandas' mean over all rows so far, and over the last 20 alone."""
    table = series(3)
    values = table["x"].astype("float64")

    def mean(of: pd.Series) -> float | None:
        last = of.ewm(alpha=alpha, adjust=adjust, ignore_na=True).mean().iloc[-1]
        return None if math.isnan(last) else float(last)

    call = f"ewma(x, {alpha}, {str(adjust).lower()}) OVER (ORDER BY i ROWS"
    found = asked(spark, table, f"SELECT {call} UNBOUNDED PRECEDING), {call} 19 PRECEDING) FROM t ORDER BY i")
    assert_same(found, [(mean(values[: i + 1]), mean(values[max(0, i - 19) : i + 1])) for i in range(ROWS)])


def test_polars_ewm_and_top_k(spark: SparkSession) -> None:
    table = series(0)
    xs = [None if x is pd.NA else float(x) for x in table["x"]]
    frame = pl.DataFrame({"x": xs, "g": table["g"].to_list()})
    means = frame["x"].ewm_mean(alpha=0.3, adjust=True, ignore_nulls=True).to_list()
    found = asked(spark, table, "SELECT ewma(x, 0.3) OVER (ORDER BY i) FROM t ORDER BY i")
    # Polars answers null for a row whose own value is null.
    assert_same(
        [row for row, x in zip(found, xs, strict=True) if x is not None], [(m,) for m in means if m is not None]
    )
    best = frame.group_by("g").agg(pl.col("x").drop_nulls().top_k(4).sort(descending=True).alias("t")).sort("g")
    assert_same(asked(spark, table, "SELECT g, top_k(cast(x AS double), 4) FROM t GROUP BY g ORDER BY g"), best.rows())


def test_pandas_max_count(spark: SparkSession) -> None:
    table = series(1)
    values = table["x"].astype("float64")
    expected = [(int((w == w.max()).sum()), int((w == w.min()).sum())) for w in values.rolling(12, min_periods=0)]
    window = "OVER (ORDER BY i ROWS 11 PRECEDING)"
    assert_same(asked(spark, table, f"SELECT max_count(x) {window}, min_count(x) {window} FROM t ORDER BY i"), expected)


SCORES = """
    SELECT i, {features}, map_from_entries(naive_bayes_score(m, struct({features}))) AS p,
      naive_bayes_predict(m, struct({features})) AS label
    FROM (SELECT *, naive_bayes_agg(label, struct({features}){smoothing})
            OVER (ORDER BY i ROWS BETWEEN 80 PRECEDING AND 1 PRECEDING) AS m
          FROM examples)
    WHERE i >= 80 ORDER BY i
"""


@pytest.mark.parametrize("seed", long_if(bool, [(seed,) for seed in range(3)]))
def test_gaussian_naive_bayes(spark: SparkSession, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 200)
    points = rng.normal(labels[:, None] * 1.5, [1.0, 30.0], (200, 2))
    rows = [(i, int(label), float(a), float(b)) for i, (label, (a, b)) in enumerate(zip(labels, points, strict=True))]
    spark.createDataFrame(rows, "i int, label int, a double, b double").createOrReplaceTempView("examples")
    for row in spark.sql(SCORES.format(features="a, b", smoothing="")).collect():
        model = GaussianNB().fit(points[row.i - 80 : row.i], labels[row.i - 80 : row.i])
        [expected] = model.predict_proba([[row.a, row.b]])
        assert [row.p[int(label)] for label in model.classes_] == pytest.approx(list(expected), rel=1e-7, abs=1e-12)
        assert row.label == model.predict([[row.a, row.b]])[0]


@pytest.mark.parametrize("smoothing", [1.0, *long_if(bool, [(0.1,), (5.0,)])])
def test_categorical_naive_bayes(spark: SparkSession, smoothing: float) -> None:
    rng = np.random.default_rng(7)
    labels = rng.integers(0, 2, 200)
    words = (rng.integers(0, 3, (200, 2)) + labels[:, None] * rng.integers(0, 2, (200, 2))) % 4
    names = [(i, "xy"[label], f"a{a}", f"b{b}") for i, (label, (a, b)) in enumerate(zip(labels, words, strict=True))]
    spark.createDataFrame(names, "i int, label string, a string, b string").createOrReplaceTempView("examples")
    for row in spark.sql(SCORES.format(features="a, b", smoothing=f", {smoothing}D")).collect():
        frame = slice(row.i - 80, row.i)
        # The values that the frame has, and no others, are the categories.
        kinds = [sorted(set(words[frame, column])) for column in range(2)]
        coded = np.array([[kinds[c].index(words[n, c]) for c in range(2)] for n in range(*frame.indices(200))])
        asked_for = [int(row.a[1:]), int(row.b[1:])]
        if any(value not in kinds[c] for c, value in enumerate(asked_for)):
            continue
        model = CategoricalNB(alpha=smoothing).fit(coded, labels[frame])
        [expected] = model.predict_proba([[kinds[c].index(value) for c, value in enumerate(asked_for)]])
        assert [row.p["xy"[label]] for label in model.classes_] == pytest.approx(list(expected), rel=1e-9)
