"""The random queries over streams."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyspark.sql import SparkSession
from streams import test_hopping_random, test_random_queries, user_aggregators

from fuzz.kind import SETTINGS, Kind, list_of
from fuzz.shrink import Part
from fuzz.test_file import StreamExample


def _with_rows(query: Any, rows: Sequence[Any]) -> Any:
    """Without the batches of which no row is left."""
    last = len(query.batches) - 1
    kept = [[row for number, row in rows if number == batch] for batch in range(last)]
    batches = [*(batch for batch in kept if batch), query.batches[last]]
    return dataclasses.replace(query, batches=batches, restart=min(query.restart, len(batches) - 1))


# The last batch stays: in a stream of windows it is a row that lets all others out.
_ROWS = Part(
    lambda query: [(number, row) for number, batch in enumerate(query.batches[:-1]) for row in batch],
    _with_rows,
)


def _kind(name: str, tests: ModuleType, imports: str, parts: Sequence[Part]) -> Kind:
    """`tests`: a module with `random_query` and `assert_right`; `imports`: the names in the literal of a query."""

    def check(spark: SparkSession, query: Any, folder: Path) -> None:
        user_aggregators.register(spark, folder)
        with tempfile.TemporaryDirectory(dir=folder) as own:
            try:
                tests.assert_right(spark, Path(own), query)
            except pytest.fail.Exception as error:
                raise AssertionError(str(error)) from error

    def example(spark: SparkSession, query: Any, folder: Path) -> StreamExample:
        return StreamExample(query, imports, tests.__name__)

    return Kind(name, tests.random_query, check, parts, example)


KINDS = (
    _kind(
        "streams",
        test_random_queries,
        "from streams.query import Expression, Query",
        (list_of("expressions"), _ROWS, SETTINGS),
    ),
    _kind(
        "hopping-streams",
        test_hopping_random,
        "from streams.test_hopping_random import Query",
        (_ROWS, SETTINGS),
    ),
)
