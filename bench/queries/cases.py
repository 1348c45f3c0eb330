"""What is measured: aggregates over moving frames, each said for every engine that can say it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from data import KEYS


class Frame(Enum):
    ROWS = "rows"
    RANGE = "range"
    SHRINKING = "shrinking"


class Same(Enum):
    """How closely the engines' answers have to agree, as the largest relative difference of their checksums."""

    EXACTLY = 0.0
    FLOATING = 1e-9
    WITHIN_ERROR = 0.05


@dataclass(frozen=True)
class Case:
    """One window query.

    `function` is the aggregate in Spark's SQL, `duckdb` in DuckDB's (None if it has not got it), and `polars` the name
    of one of `engines.POLARS`. `digest` turns the answer `a` into a number, for comparison.
    """

    group: str
    label: str
    function: str
    frame: Frame
    length: int
    rows: int
    duckdb: str | None = None
    polars: str | None = None
    segment_tree: bool = False
    same: Same = Same.FLOATING
    digest: str = "a"
    duckdb_digest: str = "a"

    @property
    def name(self) -> str:
        return f"{self.label}, {self.frame_words}"

    @property
    def frame_words(self) -> str:
        if self.frame is Frame.SHRINKING:
            return "UNBOUNDED FOLLOWING"
        return f"{'last' if self.frame is Frame.ROWS else 'range of about'} {self.length:,} rows"

    @property
    def frame_sql(self) -> str:
        if self.frame is Frame.SHRINKING:
            return "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
        if self.frame is Frame.RANGE:
            return f"RANGE BETWEEN {self.reach} PRECEDING AND CURRENT ROW"
        return f"ROWS BETWEEN {self.length - 1} PRECEDING AND CURRENT ROW"

    @property
    def reach(self) -> int:
        """How far a RANGE frame goes back: a key has a row in every KEYS units of ts, on average."""
        return self.length * KEYS

    def mean_frame(self, rows: int) -> float:
        """Rows in a frame on average, with so many rows in the table: the first frames of a key are shorter."""
        partition = rows / KEYS
        if self.frame is Frame.SHRINKING or self.length >= partition:
            return partition / 2
        return self.length * (1 - self.length / (2 * partition))

    def fills(self, rows: int) -> bool:
        """Whether most frames are as long as the case says, with so many rows in the table."""
        return self.frame is Frame.SHRINKING or rows / KEYS >= 2 * self.length


HEADLINE = "headline"
FUNCTIONS = "functions"
LENGTHS = (2, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


def headline(rows: int) -> list[Case]:
    """The cases that one meets stock Spark's cost in. Those that cost it most have a tenth of the rows, or less."""
    tenth = rows // 10

    def over_1000(label: str, function: str, rows: int, **more: Any) -> Case:
        return Case(HEADLINE, label, function, Frame.ROWS, 1_000, rows, **more)

    filtered = "sum(x) FILTER (WHERE v < 500)"
    quantile = "approx_quantile(x, 0.5)"
    return [
        over_1000("sum", "sum(x)", rows, duckdb="sum(x)", polars="sum", segment_tree=True),
        over_1000("max_by", "max_by(v, x)", tenth, duckdb="max_by(v, x)", same=Same.EXACTLY),
        over_1000("approx_count_distinct", "approx_count_distinct(v)", tenth, same=Same.EXACTLY),
        over_1000("sum with FILTER", filtered, tenth, duckdb=filtered, polars="filtered sum"),
        over_1000("percentile_approx", "percentile_approx(x, 0.5)", tenth, duckdb=quantile, same=Same.WITHIN_ERROR),
        Case(
            HEADLINE,
            "sum",
            "sum(x)",
            Frame.SHRINKING,
            0,
            min(rows, 40_000),
            duckdb="sum(x)",
            polars="shrinking sum",
            segment_tree=True,
        ),
        over_1000(
            "sum of decimal(38,10)",
            "sum(CAST(v AS decimal(38,10)))",
            tenth,
            duckdb="sum(CAST(v AS decimal(38,10)))",
            segment_tree=True,
            same=Same.EXACTLY,
        ),
        *(_list(length, tenth) for length in (10, 100)),
    ]


def _list(length: int, rows: int) -> Case:
    return Case(
        HEADLINE,
        "collect_list",
        "collect_list(v)",
        Frame.ROWS,
        length,
        rows,
        duckdb="list(v)",
        same=Same.EXACTLY,
        digest="aggregate(a, 0L, (s, e) -> s + e) + 7 * a[size(a) - 1]",
        duckdb_digest="list_sum(a) + 7 * a[-1]",
    )


def lengths(aggregate: str, frame: Frame, rows: int) -> list[Case]:
    """One aggregate over frames of every length."""
    function = f"{aggregate}(x)"
    polars = aggregate if frame is Frame.ROWS else f"range {aggregate}"
    group = f"{aggregate} over {frame.value}"
    return [
        Case(group, aggregate, function, frame, n, rows, duckdb=function, polars=polars, segment_tree=True)
        for n in LENGTHS
    ]


_FUNCTIONS = {
    "approx_count_distinct(v)": ("a", Same.EXACTLY),
    "hll_sketch_agg(v)": ("hll_sketch_estimate(a)", Same.WITHIN_ERROR),
    "percentile_approx(x, 0.5)": ("a", Same.WITHIN_ERROR),
    "collect_list(v)": ("hash(a)", Same.EXACTLY),
    "collect_set(v)": ("hash(array_sort(a))", Same.EXACTLY),
    "count_min_sketch(v, 0.1d, 0.9d, 1)": ("hash(a)", Same.EXACTLY),
    "histogram_numeric(x, 10)": ("aggregate(a, 0d, (s, bin) -> s + bin.y)", Same.FLOATING),
    "bitmap_construct_agg(bitmap_bit_position(v))": ("bitmap_count(a)", Same.EXACTLY),
    "mode(v, true)": ("a", Same.EXACTLY),
    "listagg(CAST(v AS string), ',')": ("hash(a)", Same.EXACTLY),
    "percentile(x, 0.5)": ("a", Same.FLOATING),
}


def functions(rows: int) -> list[Case]:
    """Aggregates whose state is an object of their own, which is what they cost by."""
    return [
        Case(FUNCTIONS, function, function, Frame.ROWS, length, rows, same=same, digest=digest)
        for function, (digest, same) in _FUNCTIONS.items()
        for length in (10, 100, 1_000)
    ]
