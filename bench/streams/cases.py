"""What is asked of the stream, in groups whose cases run in turns with each other."""

from __future__ import annotations

from dataclasses import dataclass

FEW, MANY = 8, 100_000
LENGTHS = (10, 1_000, 100_000)
DURATIONS = ("1 minute", "1 hour")
MERGED = {"sum": "sum(x)", "max": "max(v)", "approx_count_distinct": "approx_count_distinct(v)"}
OF_MULTISETS = {"count(DISTINCT)": "count(DISTINCT v)", "median": "median(x)", "mode": "mode(v, true)"}
AGGREGATES = MERGED | OF_MULTISETS


@dataclass(frozen=True)
class Case:
    """An aggregate over a frame of so many rows, or of a duration."""

    aggregate: str
    frame: int | str
    keys: int = FEW
    eager: bool = False

    @property
    def window(self) -> str:
        if isinstance(self.frame, int):
            return f"PARTITION BY k ORDER BY ts ROWS {self.frame - 1} PRECEDING"
        return f"PARTITION BY k ORDER BY ts RANGE INTERVAL {self.frame} PRECEDING"

    @property
    def answer(self) -> str:
        return f"{AGGREGATES[self.aggregate]} OVER ({self.window}) AS a"

    @property
    def frame_in_words(self) -> str:
        return f"{self.frame:,} rows" if isinstance(self.frame, int) else self.frame


@dataclass(frozen=True)
class Group:
    """Cases over one stream; `peers` are what they are compared with, by the names in `variants`."""

    name: str
    cases: tuple[Case, ...]
    peers: tuple[str, ...]
    part: int = 1
    """Only so small a part of the rows is used: one out of so many."""

    @property
    def keys(self) -> int:
        return self.cases[0].keys


FLOORS = ("scan and shuffle", "one value a key and batch", "one value a row")

GROUPS = (
    Group("8 keys", tuple(Case(a, f) for a in MERGED for f in LENGTHS + DURATIONS), FLOORS),
    Group("distinct values", tuple(Case(a, f) for a in ("sum", *OF_MULTISETS) for f in LENGTHS), FLOORS[:2]),
    Group("8 keys, eager", tuple(Case("sum", f, eager=True) for f in LENGTHS + DURATIONS), FLOORS[:2]),
    Group("100,000 keys", tuple(Case("sum", f, MANY) for f in (10, 1_000, *DURATIONS)), FLOORS),
    Group("a list a key", tuple(Case("sum", f, eager=True) for f in (10, 1_000)), ("a list a key in Python",), part=20),
    Group("self-join", (Case("sum", "1 minute"),), ("self-join",), part=100),
)
EACH_MINOR = Group(
    "each minor",
    (Case("sum", 1_000), Case("sum", "1 hour"), Case("approx_count_distinct", 1_000), Case("count(DISTINCT)", 1_000)),
    FLOORS[:2],
)
"""What runs on each Spark minor, and only there."""

ROW_TIMES = "row times"
TIMED = tuple(Case("sum", length, eager=eager) for eager in (True, False) for length in LENGTHS)
