"""DISTINCT aggregates, percentiles and modes over frames of a few lengths: Slidewise beside its own sum, and DuckDB."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from cases import MULTISETS, Case, Frame, Same
from data import PLAIN, Shape
from shapes import named, replaced

LENGTHS = (10, 1_000, 100_000)
BASE = "sum(x)"
OVER = " over "
_FEW, _NAMES = 10, 1_000


def _few(plain: pa.Table, random: np.random.Generator) -> pa.Table:
    return replaced(plain, v=random.integers(0, _FEW, len(plain)))


def _many(plain: pa.Table, random: np.random.Generator) -> pa.Table:
    return replaced(plain, v=random.integers(0, len(plain), len(plain)))


def _strings(plain: pa.Table, random: np.random.Generator) -> pa.Table:
    return replaced(plain, name=named(random.integers(0, _NAMES, len(plain)), "customer"))


_MEDIAN = ("median({})", "median({})", Same.FLOATING)
# Of several modes, engines take different ones.
_MODE = ("mode({})", "mode({})", Same.ANY_MODE)
_COUNT = ("count(DISTINCT {})", "count(DISTINCT {})", Same.EXACTLY)

_TABLES = [
    (
        Shape("few-values", _few),
        f"integers of {_FEW} values",
        "v",
        [_COUNT, ("sum(DISTINCT {})", "sum(DISTINCT {})", Same.EXACTLY), _MEDIAN, _MODE],
    ),
    (Shape("many-values", _many), "integers of as many values as rows", "v", [_COUNT, _MEDIAN, _MODE]),
    (
        PLAIN,
        "doubles, all distinct",
        "x",
        [
            _COUNT,
            _MEDIAN,
            ("percentile_cont(0.9) WITHIN GROUP (ORDER BY {})", "quantile_cont({}, 0.9)", Same.FLOATING),
            ("percentile_approx({}, 0.5)", "quantile_disc({}, 0.5)", Same.FLOATING),
        ],
    ),
    (
        Shape("strings", _strings),
        f"strings of {_NAMES:,} values",
        "name",
        [_COUNT, ("count(DISTINCT struct({}, v))", "count(DISTINCT row({}, v))", Same.EXACTLY), _MODE],
    ),
]


def multisets(rows: int) -> list[list[Case]]:
    """The functions over each kind of values and each length, each list in turns with the sum over the same table."""
    found = []
    for shape, values, column, functions in _TABLES:
        for length in LENGTHS:
            base = Case(
                MULTISETS, BASE + OVER + values, BASE, Frame.ROWS, length, rows, BASE, in_spark=False, shape=shape
            )
            found.append([base, *(_case(length, rows, shape, values, column, f) for f in functions)])
    return found


def _case(length: int, rows: int, shape: Shape, values: str, column: str, function: tuple[str, str, Same]) -> Case:
    spark, duckdb, same = function
    digest = "length(a)" if same is Same.ANY_MODE and column == "name" else "a"
    return Case(
        MULTISETS,
        spark.format(column) + OVER + values,
        spark.format(column),
        Frame.ROWS,
        length,
        rows,
        duckdb.format(column),
        same=same,
        in_spark=False,
        digest=digest,
        duckdb_digest=digest,
        shape=shape,
        # WITHIN GROUP in a window, and modes.
        since=(4, 0),
    )
