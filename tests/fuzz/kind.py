"""A kind of random query: how one is made, checked, made smaller, and written down."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from fuzz.shrink import Part
from fuzz.test_file import Example


@dataclass(frozen=True)
class Kind:
    """`check` raises AssertionError where Slidewise is wrong; `example` is what a test file needs of a query."""

    name: str
    make: Callable[[int, int], Any]
    check: Callable[[SparkSession, Any, Path], None]
    parts: Sequence[Part]
    example: Callable[[SparkSession, Any, Path], Example]


def list_of(name: str) -> Part:
    return Part(
        lambda query: getattr(query, name),
        lambda query, kept: dataclasses.replace(query, **{name: list(kept)}),
    )


SETTINGS = Part(
    lambda query: list(query.settings.items()),
    lambda query, settings: dataclasses.replace(query, settings=dict(settings)),
)
