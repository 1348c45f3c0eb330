"""What the algorithms and operators are called in the docs, and how their lines look."""

from __future__ import annotations

from typing import Any

_COLOURS = {
    "two-stacks-lite": "#1f618d",
    "daba-lite": "#c0392b",
    "two-stacks": "#7fb3d5",
    "daba": "#e59866",
    "flatfit": "#1e8449",
    "flatfat": "#7d8b99",
    "fiba": "#8e6bbf",
    "subtract-on-evict": "#b7950b",
    "recalculation": "#444444",
}
_NAMES = {
    "two-stacks-lite": "Two-Stacks Lite",
    "daba-lite": "DABA Lite",
    "two-stacks": "Two-Stacks",
    "daba": "DABA",
    "flatfit": "FlatFIT",
    "flatfat": "FlatFAT",
    "fiba": "FiBA",
    "subtract-on-evict": "Subtract-on-Evict",
    "recalculation": "Recalculation",
}
OPERATORS = {"sum": "sum", "geomean": "geometric mean", "bloom": "Bloom filter (4,096 bits, 4 hashes)"}
_SIZED = "-sized"


def name(algorithm: str) -> str:
    base = _NAMES[algorithm.removesuffix(_SIZED)]
    return f"{base}, sized" if algorithm.endswith(_SIZED) else base


def style(algorithm: str) -> dict[str, Any]:
    """Full lines where room was made from the start, or cannot be; those of the Lite algorithms are thicker."""
    base = algorithm.removesuffix(_SIZED)
    return {
        "color": _COLOURS[base],
        "linestyle": "-" if algorithm.endswith(_SIZED) or not base.endswith("-lite") else "--",
        "linewidth": 2.2 if base.endswith("-lite") else 1.4,
        "label": name(algorithm),
    }


def order(algorithm: str) -> tuple[int, bool]:
    return list(_NAMES).index(algorithm.removesuffix(_SIZED)), not algorithm.endswith(_SIZED)


def duration(minutes: int) -> str:
    for unit, length in (("day", 24 * 60), ("hour", 60), ("minute", 1)):
        if minutes % length == 0:
            count = minutes // length
            return f"{count} {unit}{'s' if count > 1 else ''}"
    raise ValueError(minutes)


def power(window: int) -> str:
    """A power of two as such, if it is a large one."""
    exponent = window.bit_length() - 1
    return f"2{str(exponent).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}" if window > 1 else "1"
