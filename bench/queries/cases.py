"""What is measured: aggregates over moving frames, each said for every engine that can say it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from data import KEYS, PLAIN, Shape


class Frame(Enum):
    ROWS = "rows"
    RANGE = "range"
    SHRINKING = "shrinking"


class Same(Enum):
    """How closely the engines' answers have to agree, as the largest relative difference of their checksums."""

    EXACTLY = 0.0
    FLOATING = 1e-9
    WITHIN_ERROR = 0.05
    ANY_MODE = 1.0
    """Engines take different ones of several modes, none of them negative: as many answers, and of any size."""


@dataclass(frozen=True)
class Case:
    """One window query.

    `function` is the aggregate in Spark's SQL, and beside it in the SQL of those engines that have it. `rolling` is its
    name among the functions of data frames. `also` are further windows of the query, each an aggregate and how many
    times the frame's length it has. `digest` turns the answer `a` into a number, for comparison.
    """

    group: str
    label: str
    function: str
    frame: Frame
    length: int
    rows: int
    duckdb: str | None = None
    datafusion: str | None = None
    clickhouse: str | None = None
    rolling: str | None = None
    segment_tree: bool = False
    same: Same = Same.FLOATING
    digest: str = "a"
    duckdb_digest: str = "a"
    clickhouse_digest: str = "a"
    shape: Shape = PLAIN
    also: tuple[tuple[str, int], ...] = ()
    since: tuple[int, int] = (3, 5)
    """The first Spark minor that can run the query."""
    in_spark: bool = True
    """Whether Spark without Slidewise takes part. It refuses DISTINCT over windows, and percentiles over frames."""

    @property
    def name(self) -> str:
        return f"{self.label}, {self.frame_words}"

    @property
    def frame_words(self) -> str:
        if self.frame is Frame.SHRINKING:
            return "UNBOUNDED FOLLOWING" if self.shape is PLAIN else f"{self.length:,} rows to go"
        return f"{'last' if self.frame is Frame.ROWS else 'range of about'} {self.length:,} rows"

    @property
    def frame_sql(self) -> str:
        return self.frame_of(self.length)

    def frame_of(self, length: int) -> str:
        if self.frame is Frame.SHRINKING:
            return "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
        if self.frame is Frame.RANGE:
            return f"RANGE BETWEEN {self.shape.reach or self.reach} PRECEDING AND CURRENT ROW"
        return f"ROWS BETWEEN {length - 1} PRECEDING AND CURRENT ROW"

    @property
    def partition_and_order(self) -> str:
        keys = f"PARTITION BY {self.shape.partition_by} " if self.shape.partition_by else ""
        return f"{keys}ORDER BY {self.shape.order_by}"

    @property
    def windows(self) -> str:
        """The window expressions in Spark's SQL: `a`, and `b0`, `b1` and so on for the others."""
        more = (
            f", {function} OVER ({self.partition_and_order} {self.frame_of(times * self.length)}) b{i}"
            for i, (function, times) in enumerate(self.also)
        )
        return f"{self.function} OVER ({self.partition_and_order} {self.frame_sql}) a" + "".join(more)

    @property
    def reach(self) -> int:
        """How far a RANGE frame goes back: a key has a row in every KEYS units of ts, on average."""
        return self.length * KEYS

    def mean_frame(self, rows: int) -> float:
        """Rows in a frame on average, with so many rows in the table: the first frames of a key are shorter."""
        partition = self.shape.partition(rows)
        if self.frame is Frame.SHRINKING or self.length >= partition:
            return partition / 2
        return self.length * (1 - self.length / (2 * partition))

    def fills(self, rows: int) -> bool:
        """Whether the frames are about as long on so many rows as they are on all of the case's."""
        partition = self.shape.partition(rows)
        if partition == self.shape.partition(self.rows):
            return True
        return self.frame is Frame.SHRINKING or partition >= 2 * self.length


HEADLINE = "headline"
FUNCTIONS = "functions"
SHAPES = "shapes"
PHASES = "phases"
MULTISETS = "multisets"
SQL = ("duckdb", "datafusion", "clickhouse")
AGGREGATES = ("sum", "avg", "min", "max", "count", "stddev")
LENGTHS = (2, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


def headline(rows: int) -> list[Case]:
    """The cases that one meets stock Spark's cost in. Those that cost it most have a tenth of the rows, or less."""
    tenth = rows // 10

    def over_1000(label: str, function: str, rows: int, **more: Any) -> Case:
        return Case(HEADLINE, label, function, Frame.ROWS, 1_000, rows, **more)

    filtered = "sum(x) FILTER (WHERE v < 500)"
    decimals = "sum(CAST(v AS decimal(38,10)))"
    return [
        over_1000("sum", "sum(x)", rows, **_everywhere("sum"), segment_tree=True),
        over_1000("max_by", "max_by(v, x)", tenth, duckdb="max_by(v, x)", clickhouse="argMax(v, x)", same=Same.EXACTLY),
        over_1000("approx_count_distinct", "approx_count_distinct(v)", tenth, same=Same.EXACTLY),
        over_1000(
            "sum with FILTER",
            filtered,
            tenth,
            **dict.fromkeys(SQL, filtered),
            rolling="filtered sum",
            since=(4, 2),
        ),
        over_1000(
            "percentile_approx",
            "percentile_approx(x, 0.5)",
            tenth,
            duckdb="approx_quantile(x, 0.5)",
            clickhouse="quantile(0.5)(x)",
            same=Same.WITHIN_ERROR,
        ),
        Case(
            HEADLINE,
            "sum",
            "sum(x)",
            Frame.SHRINKING,
            0,
            min(rows, 40_000),
            "sum(x)",
            "sum(x)",
            "sum(x)",
            rolling="shrinking sum",
            segment_tree=True,
        ),
        over_1000(
            "sum of decimal(38,10)",
            decimals,
            tenth,
            **dict.fromkeys(SQL, decimals),
            segment_tree=True,
            same=Same.EXACTLY,
        ),
        *(_list(length, tenth) for length in (10, 100)),
    ]


def _everywhere(aggregate: str) -> dict[str, Any]:
    """An aggregate over x that every engine has."""
    said: dict[str, Any] = dict.fromkeys(SQL, f"{aggregate}(x)")
    if aggregate == "stddev":
        said["clickhouse"] = "stddevSamp(x)"
        said["clickhouse_digest"] = "if(isNaN(a), NULL, a)"
    return said | {"rolling": aggregate}


def _list(length: int, rows: int) -> Case:
    return Case(
        HEADLINE,
        "collect_list",
        "collect_list(v)",
        Frame.ROWS,
        length,
        rows,
        duckdb="list(v)",
        clickhouse="groupArray(v)",
        same=Same.EXACTLY,
        digest="aggregate(a, 0L, (s, e) -> s + e) + 7 * a[size(a) - 1]",
        duckdb_digest="list_sum(a) + 7 * a[-1]",
        clickhouse_digest="arraySum(a) + 7 * a[-1]",
    )


def lengths(aggregate: str, frame: Frame, rows: int) -> list[Case]:
    """One aggregate over frames of every length."""
    group = f"{aggregate} over {frame.value}"
    everywhere = _everywhere(aggregate)
    return [Case(group, aggregate, f"{aggregate}(x)", frame, n, rows, **everywhere, segment_tree=True) for n in LENGTHS]


_FUNCTIONS = {
    "approx_count_distinct(v)": ("a", Same.EXACTLY),
    "hll_sketch_agg(v)": ("hll_sketch_estimate(a)", Same.WITHIN_ERROR),
    "collect_list(v)": ("hash(a)", Same.EXACTLY),
    "collect_set(v)": ("hash(array_sort(a))", Same.EXACTLY),
    "count_min_sketch(v, 0.1d, 0.9d, 1)": ("hash(a)", Same.EXACTLY),
    "histogram_numeric(x, 10)": ("aggregate(a, 0d, (s, bin) -> s + bin.y)", Same.FLOATING),
    "bitmap_construct_agg(bitmap_bit_position(v))": ("bitmap_count(a)", Same.EXACTLY),
    "listagg(CAST(v AS string), ',')": ("hash(a)", Same.EXACTLY),
}


_SINCE = {"listagg": (4, 0)}


def since(function: str) -> tuple[int, int]:
    return _SINCE.get(function.split("(")[0], (3, 5))


def functions(rows: int) -> list[Case]:
    """Aggregates whose state is an object of their own, which is what they cost by."""
    return [
        Case(FUNCTIONS, function, function, Frame.ROWS, length, rows, same=same, digest=digest, since=since(function))
        for function, (digest, same) in _FUNCTIONS.items()
        for length in (10, 100, 1_000)
    ]
