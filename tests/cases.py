"""Which cases of a matrix `make test` runs; `make test-long` runs all of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest


def crossed(*axes: Collection[Any]) -> list[Any]:
    """Every combination, for `parametrize`. As many as the longest axis has are short, each value in one of them."""
    values: list[Sequence[Any]] = [list(axis) for axis in axes]
    short = {tuple(i % len(axis) for axis in values) for i in range(max(map(len, values)))}
    return [
        pytest.param(
            *(axis[i] for axis, i in zip(values, at, strict=True)), marks=[] if at in short else pytest.mark.long
        )
        for at in itertools.product(*(range(len(axis)) for axis in values))
    ]


def long_if(slow: Callable[..., bool], cases: Collection[tuple[Any, ...]]) -> list[Any]:
    """The cases, for `parametrize`, of which the slow ones are long."""
    return [pytest.param(*case, marks=pytest.mark.long if slow(*case) else []) for case in cases]
