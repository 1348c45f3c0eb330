"""One entry for each aggregate function: its definition in Python, and the calls by which it is tested."""

from __future__ import annotations

from functions.catalogue import extremes, rankings, series, sketches
from functions.catalogue.tested import Tested

ALL: list[Tested] = [*extremes.FUNCTIONS, *series.FUNCTIONS, *rankings.FUNCTIONS, *sketches.FUNCTIONS]
