"""Random as-of joins beside pandas.merge_asof."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession
from random_queries import RandomQueries, seed_or

import slidewise
from joins.tables import assert_runs_on_slidewise

_EPOCH = dt.datetime(1970, 1, 1)

# Times of a small number, and distances: both as Python has them.
_TIMES: dict[str, tuple[Callable[[int], Any], Callable[[int], Any]]] = {
    "int": (lambda n: n - 15, int),
    "bigint": (lambda n: (n - 15) * 10**14, lambda n: n * 10**14),
    "double": (lambda n: (n - 15) / 4, lambda n: n / 4),
    "timestamp": (lambda n: _EPOCH + dt.timedelta(minutes=n - 15), lambda n: dt.timedelta(minutes=n)),
    "timestamp_ntz": (lambda n: _EPOCH + dt.timedelta(hours=n - 15), lambda n: dt.timedelta(hours=n)),
}
_KEYS: dict[str, list[Any]] = {"string": ["a", "A", ""], "bigint": [2**40, -1, 0], "boolean": [True, False]}


def test_random_as_of_joins(spark: SparkSession, random_queries: RandomQueries) -> None:
    seed = seed_or(3)
    random_queries.ask_each(lambda index: check(spark, random.Random(f"{seed}/{index}/pandas")), seed, 2)


@pytest.mark.long
def test_many_random_as_of_joins(spark: SparkSession, random_queries: RandomQueries) -> None:
    seed = seed_or(4)
    random_queries.ask_each(lambda index: check(spark, random.Random(f"{seed}/{index}/pandas")), seed, 150)


def check(spark: SparkSession, rng: random.Random) -> None:
    kind = rng.choice(list(_TIMES))
    keys = {f"k{at}": rng.choice(list(_KEYS)) for at in range(rng.choice([0, 1, 1, 2]))}
    left, right = (_rows(rng, kind, keys, rng.choice([1, 20, 60])) for _ in range(2))
    for row in right:
        # The same for rows of the same keys and time, of which any may be taken.
        row["x"] = hash(repr([row[name] for name in (*keys, "t")])) % 1000
    arguments: dict[str, Any] = {
        "direction": rng.choice(["backward", "forward", "nearest"]),
        "allow_exact_matches": rng.random() < 0.6,
        "tolerance": rng.choice([None, _TIMES[kind][1](rng.choice([0, 1, 4]))]),
    }
    if not arguments["allow_exact_matches"] and arguments["tolerance"] is not None and not arguments["tolerance"]:
        arguments["tolerance"] = None  # pandas refuses a tolerance of zero
    own = {"id": "int", **keys, "t": kind}
    joined = slidewise.asof_join(
        spark.createDataFrame(_tuples(left), _ddl(own)),
        spark.createDataFrame(_tuples(right), _ddl({**keys, "t": kind, "x": "int"})),
        on="t",
        by=list(keys) or None,
        **arguments,
    )
    assert_runs_on_slidewise(joined, "AsOfJoin")
    found = joined.select("id", "x").collect()
    assert len(found) == len(left)
    assert dict(map(tuple, found)) == _by_pandas(left, right, list(keys), arguments), (kind, keys, arguments)


def _rows(rng: random.Random, kind: str, keys: dict[str, str], count: int) -> list[dict[str, Any]]:
    def value(draw: Callable[[], Any]) -> Any:
        return None if rng.random() < 0.1 else draw()

    return [
        {
            "id": number,
            **{name: value(lambda of=of: rng.choice(_KEYS[of])) for name, of in keys.items()},
            "t": value(lambda: _TIMES[kind][0](rng.randrange(30))),
        }
        for number in range(count)
    ]


def _tuples(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(v for name, v in row.items() if name != "id" or "x" not in row) for row in rows]


def _ddl(columns: dict[str, str]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def _by_pandas(
    left: list[dict[str, Any]], right: list[dict[str, Any]], keys: list[str], arguments: dict[str, Any]
) -> dict[int, int | None]:
    """Rows with null keys or times, which pandas refuses or matches, have no match."""
    found: dict[int, int | None] = dict.fromkeys(range(len(left)))

    def known(rows: list[dict[str, Any]]) -> pd.DataFrame:
        return pd.DataFrame([row for row in rows if None not in row.values()]).sort_values("t", kind="stable")

    if all(any(None not in row.values() for row in rows) for rows in (left, right)):
        tolerance = arguments["tolerance"]
        if isinstance(tolerance, dt.timedelta):
            tolerance = pd.Timedelta(tolerance)
        merged = pd.merge_asof(
            known(left),
            known(right).drop(columns="id"),
            on="t",
            by=keys or None,
            **{**arguments, "tolerance": tolerance},
        )
        found |= {row.id: None if pd.isna(row.x) else int(row.x) for row in merged.itertuples()}
    return found
