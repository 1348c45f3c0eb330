"""A random call of a window function: its SQL in both dialects and how its answers compare."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from generated.table import Table


class Compare(Enum):
    EXACT = "equal, to the sign of a zero"
    CLOSE = "equal to 1e-9 relative, or to the tolerance that the inputs' magnitude leaves"
    ROOT = "close once squared: the root of a number near zero magnifies its error"
    SET = "the same elements in any order"
    BINS = "the same histogram, once bins at one place are one"
    MODE = "one of the most frequent of the other's elements"


@dataclass(frozen=True)
class Call:
    """`{over}` in the SQL is where FILTER and OVER go.

    `ordered`: the answer depends on the order of the rows, so of peers too. `time`: a column that must not be seen to
    descend. `frameless`: the function takes no frame, and needs an order.
    """

    spark: str
    duckdb: str | None = None
    compare: Compare = Compare.EXACT
    tolerance: float = 0.0
    ordered: bool = False
    filters: bool = True
    time: str | None = None
    frameless: bool = False


Maker = Callable[[random.Random, Table], "Call | None"]


@dataclass(frozen=True)
class Function:
    """`since`: the first minor of Spark that has it."""

    name: str
    make: Maker
    weight: float = 1.0
    since: tuple[int, int] = (3, 5)
