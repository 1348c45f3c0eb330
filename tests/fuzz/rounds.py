"""One round of `make fuzz`: queries of each kind in turn, and what becomes of one that fails."""

from __future__ import annotations

import itertools
import re
import time
import traceback
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from fuzz import streams, tables, test_file
from fuzz.kind import Kind
from fuzz.shrink import Shrinker

KINDS = {kind.name: kind for kind in (*tables.KINDS, *streams.KINDS)}


def fuzz(spark: SparkSession, names: list[str], seed: int, seconds: float, folder: Path) -> list[Path]:
    """Asks for so many seconds, and prints how much it asked.

    Returns:
        The test files of what failed.

    Raises:
        KeyError: there is no such kind of query.
    """
    kinds = [KINDS[name] for name in names]
    begin, asked, found = time.monotonic(), 0, list[Path]()
    for index in itertools.count():
        for kind in kinds:
            if time.monotonic() - begin >= seconds:
                print(f"asked {asked} queries, found {len(found)}", flush=True)
                return found
            query = kind.make(seed, index)
            asked += 1
            if (what := failure(spark, kind, query, folder)) is not None:
                print(f"{kind.name}, seed {seed}, query {index}\n{what}", flush=True)
                found.append(recorded(spark, kind, query, f"{kind.name}_{seed}_{index}", folder))
                print(f"written to {found[-1]}", flush=True)
    raise AssertionError("unreachable")


def recorded(spark: SparkSession, kind: Kind, query: Any, name: str, folder: Path) -> Path:
    def way(query: Any) -> str | None:
        what = failure(spark, kind, query, folder)
        return None if what is None else way_of(what)

    smallest = Shrinker(way).smallest(query, kind.parts)
    what = failure(spark, kind, smallest, folder) or "it fails only now and then"
    return test_file.write(name, what, kind.example(spark, smallest, folder))


def failure(spark: SparkSession, kind: Kind, query: Any, folder: Path) -> str | None:
    """What a query fails with; None if it does not. An error outside a query's answer is a failure too."""
    try:
        kind.check(spark, query, folder)
    except AssertionError as error:
        return str(error) or str(traceback.extract_tb(error.__traceback__)[-1].line)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def way_of(what: str) -> str:
    """The way that a query fails: the first words, which are the same for smaller queries that fail so."""
    return re.split(r"[:\n(0-9]", what, maxsplit=1)[0].strip()
