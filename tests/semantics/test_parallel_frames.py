"""Frames whose rows lie in several tasks: the answers of one task, and of Spark alone."""

from __future__ import annotations

import re

import pytest
from cases import crossed
from sparks import needs_spark, portable

from semantics.sharing import Sharing, named

ROW_FRAMES = [
    "3 PRECEDING AND 2 FOLLOWING",
    "1 PRECEDING AND 1 PRECEDING",
    "400 PRECEDING AND CURRENT ROW",
    "900 PRECEDING AND 700 PRECEDING",
    "300 FOLLOWING AND 700 FOLLOWING",
    "CURRENT ROW AND 9000 FOLLOWING",
    "UNBOUNDED PRECEDING AND CURRENT ROW",
    "UNBOUNDED PRECEDING AND 500 PRECEDING",
    "UNBOUNDED PRECEDING AND 3 FOLLOWING",
    "CURRENT ROW AND UNBOUNDED FOLLOWING",
    "500 FOLLOWING AND UNBOUNDED FOLLOWING",
    "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "CURRENT ROW AND 400 PRECEDING",
    "3 FOLLOWING AND CURRENT ROW",
]
CALLS = portable(
    """sum(i) {over}, count(l) {over}, avg(m) {over}, min(s) {over}, max(d) {over}, bit_xor(l) {over},
    max_by(s, l) {over}, count(*) FILTER (WHERE i % 2 = 0) {over}, approx_count_distinct(l) {over}"""
)


@pytest.mark.parametrize(("frame", "order"), crossed(ROW_FRAMES, ["h, id", "s DESC, id", "id DESC"]))
def test_rows(sharing: Sharing, frame: str, order: str) -> None:
    over = f"OVER (ORDER BY {order} ROWS BETWEEN {frame})"
    sharing.ask(f"SELECT id, {CALLS.format(over=over)} FROM rows", spark_too=frame.startswith("3 "))


def test_lists_and_objects(sharing: Sharing) -> None:
    over = "OVER (ORDER BY s, id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)"
    sharing.ask(f"SELECT id, collect_list(t) {over}, max(t) {over}, percentile_approx(i, 0.5) {over} FROM rows")


KEYS = [
    ("i", "300"),
    ("i", "100000"),
    ("l", "900L"),
    ("m", "250.25"),
    ("d", "40D"),
    ("day", "3"),
    ("day", "INTERVAL 1 MONTH"),
    ("ts", "INTERVAL 1 HOUR"),
    ("ts", "INTERVAL 1 DAY"),
    ("ts", "INTERVAL 1 MONTH"),
    ("ntz", "INTERVAL '1 02:00:00' DAY TO SECOND"),
]
RANGES = [
    "{} PRECEDING AND CURRENT ROW",
    "{} PRECEDING AND {} FOLLOWING",
    "{} FOLLOWING AND UNBOUNDED FOLLOWING",
    "UNBOUNDED PRECEDING AND {} PRECEDING",
    "CURRENT ROW AND {} FOLLOWING",
]
ORDERS = ["ASC NULLS FIRST", "DESC NULLS LAST", "ASC NULLS LAST", "DESC NULLS FIRST"]
MOVING = "sum(id) {over}, count(*) {over}, min(s) {over}, max(d) {over}, avg(m) {over}, bit_xor(h) {over}"


@pytest.mark.parametrize(("key", "frame", "order"), crossed(KEYS, RANGES, ORDERS))
def test_range(sharing: Sharing, key: tuple[str, str], frame: str, order: str) -> None:
    column, by = key
    over = f"OVER (ORDER BY {column} {order} RANGE BETWEEN {frame.format(by, by)})"
    zone = "America/New_York" if column == "ts" else "UTC"
    sharing.ask(f"SELECT id, {MOVING.format(over=over)} FROM rows", session_timeZone=zone)


PEERS = [
    "RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "",
]
PEER_ORDERS = ["few", "s DESC, three", "t", "d DESC NULLS LAST", "b, i", "few % 5 + 1"]


@pytest.mark.parametrize(("order", "frame"), crossed(PEER_ORDERS, PEERS))
def test_peers(sharing: Sharing, order: str, frame: str) -> None:
    over = f"OVER (ORDER BY {order} {frame})"
    tasks = range(1, 8) if "%" in order else range(2, 8)
    sharing.ask(f"SELECT id, {MOVING.format(over=over)} FROM rows", tasks, spark_too=True)


RANKS = "rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w"


@pytest.mark.parametrize(("calls", "order"), crossed([RANKS, *RANKS.split(", ")], ["t DESC", "few", "s, few", "h, id"]))
def test_ranks(sharing: Sharing, calls: str, order: str) -> None:
    sharing.ask(f"SELECT id, {calls} FROM rows WINDOW w AS (ORDER BY {order})", spark_too=True)


PLACES = ["row_number()", "ntile(7)", "ntile(5000)", "lag(s)", "lead(i, 300)", "lag(i, 1100, -1)", "lead(d, 0)"]


@pytest.mark.parametrize(("place", "order"), crossed(PLACES, ["h, id", "s DESC, id"]))
def test_places(sharing: Sharing, place: str, order: str) -> None:
    sharing.ask(f"SELECT id, {place} OVER (ORDER BY {order}) FROM rows")


@pytest.mark.parametrize(
    ("calls", "frame"),
    crossed(
        ["first(s), last(i)", "nth_value(s, 3)", "first(i, true), last(i, true)"],
        ["RANGE UNBOUNDED PRECEDING", "ROWS BETWEEN 300 PRECEDING AND 2 FOLLOWING"],
    ),
)
def test_values_of_frames(sharing: Sharing, calls: str, frame: str) -> None:
    over = ", ".join(f"{call} OVER (ORDER BY h, id {frame})" for call in re.split(", (?=last)", calls))
    sharing.ask(f"SELECT id, {over} FROM rows", tasks=range(1, 8))


# Counts need the number of rows. Sums, means and extremes of numbers are kept with each bucket. A job aggregates text.
@pytest.mark.parametrize(
    ("calls", "frame"),
    crossed(
        ["count(*), count(i)", "sum(i), avg(m), min(h)", "max(d), bit_or(i)", "min(s), sum(i)", "regr_slope(i, d)"],
        ["ROWS UNBOUNDED PRECEDING", "ROWS BETWEEN 3 FOLLOWING AND UNBOUNDED FOLLOWING", "RANGE UNBOUNDED PRECEDING"],
    ),
)
def test_aggregates_of_all_rows_on_one_side(sharing: Sharing, calls: str, frame: str) -> None:
    over = f"OVER (ORDER BY few, id {frame})"
    called = ", ".join(f"{call} {over}" for call in re.split(r", (?=\w+\()", calls))
    sharing.ask(f"SELECT id, {called}, avg(i) OVER (ORDER BY few, id ROWS 40 PRECEDING) FROM rows")


OPEN_ENDS = {
    "first_value({})": "ROWS UNBOUNDED PRECEDING",
    "first_value({}) IGNORE NULLS": "ROWS BETWEEN UNBOUNDED PRECEDING AND 4 PRECEDING",
    "nth_value({}, 1)": "RANGE UNBOUNDED PRECEDING",
    "last_value({})": "ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING",
    "last_value({}) IGNORE NULLS": "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
}
OF_EIGHT_BYTES = [
    "i",
    "l",
    "m",
    "d",
    "day",
    "ts",
    "ntz",
    "few > 150",
    "cast(few % 100 - 50 AS tinyint)",
    "cast(d AS float)",
]


@pytest.mark.parametrize(("call", "value"), crossed(OPEN_ENDS, [*OF_EIGHT_BYTES, "s"]))
def test_values_at_open_ends(sharing: Sharing, call: str, value: str) -> None:
    """A value that all tasks share, of the first or the last row, which may be null."""
    for order in ("few, id", "if(i IS NULL, 0, 1), id DESC"):
        over = f"OVER (ORDER BY {order} {OPEN_ENDS[call]})"
        query = f"SELECT id, {call.format(value)} {over}, row_number() OVER (ORDER BY {order}) FROM rows"
        sharing.ask(query, spark_too=True)
        _, frame = sharing.run(query, {})
        [window] = named(frame, "SlidingWindow")
        assert window.metrics().apply("fallbacks").value() == 0
        in_arrays = window.plan().rowWise().frames().isEmpty()
        assert in_arrays == (value != "s")


def test_values_at_open_ends_need_no_scan(sharing: Sharing) -> None:
    """The tasks that look for the first and the last row read few of the rows, which one scan of all would read."""

    def records(value: str) -> int:
        query = f"SELECT id, {value} OVER (ORDER BY h, id) FROM rows"
        _, frame = sharing.run(query, {})
        return int(named(frame, "RunsExchange")[0].metrics().apply("recordsRead").value())

    assert records("first_value(l)") < 0.8 * records("max_by(s, l)")


# The state of the sketch is larger than what a task reports of its run.
WHOLE_TABLE = [
    "sum(i) OVER (), count(*) OVER ()",
    "avg(m) OVER (), max(s) OVER ()",
    "i / sum(i) OVER (), stddev(d) OVER (), max(i) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
    "approx_count_distinct(s) OVER (), max_by(s, id) OVER (), sum(i) OVER () + avg(i) OVER ()",
    "md5(count_min_sketch(i, 0.001D, 0.99D, 1) OVER ()), sum(i) OVER ()",
    "sum(if(id < 0, 1, NULL)) OVER (), count(if(id < 0, 1, NULL)) OVER (), max(struct(id, s)) OVER ()",
]


@pytest.mark.parametrize("calls", WHOLE_TABLE)
def test_no_order(sharing: Sharing, calls: str) -> None:
    sharing.ask(f"SELECT id, {calls} FROM rows", spark_too="stddev" not in calls)


SKETCHES = [
    pytest.param("theta_sketch_estimate(theta_sketch_agg(s) {over})", marks=needs_spark("4.1", "no theta sketches")),
    pytest.param(
        "tuple_sketch_estimate_double(tuple_sketch_agg_double(s, d) {over})",
        marks=needs_spark("4.2", "no tuple sketches"),
    ),
    "bitmap_count(bitmap_construct_agg(bitmap_bit_position(i)) {over})",
    "histogram_numeric(i, 3) {over}",
]


@pytest.mark.parametrize("over", ["OVER ()", "OVER (ORDER BY id)", "OVER (ORDER BY id ROWS 300 PRECEDING)"])
@pytest.mark.parametrize("sketch", SKETCHES)
def test_sketches_beside_another_window(sharing: Sharing, sketch: str, over: str) -> None:
    """Rows that are sorted for the other window. Some sketches take no rows once they have been merged."""
    query = f"SELECT id, {sketch.format(over=over)}, sum(id) OVER (ORDER BY id ROWS 3 PRECEDING) FROM rows"
    sharing.ask(query, tasks=range(8), spark_too=True)


@pytest.mark.parametrize("rows", ["id < 0", "id % 3 = 0", "id = 77"])
def test_no_order_and_few_rows(sharing: Sharing, rows: str) -> None:
    child = f"SELECT * FROM rows WHERE {rows}"
    sharing.ask(f"SELECT id, sum(i) OVER (), max(s) OVER () FROM ({child})", tasks=range(1, 8), spark_too=True)


def test_first_of_no_order_is_the_same_for_all_rows(sharing: Sharing) -> None:
    query = "SELECT first(id) OVER () AS f, last(id) OVER () AS l FROM rows"
    found, frame = sharing.run(query, {})
    assert len(set(found)) == 1
    assert len(found) == frame.sparkSession.table("rows").count()


def test_neighbours_without_an_order(sharing: Sharing) -> None:
    sharing.ask("SELECT count(*) OVER (ROWS 2 PRECEDING), sum(1) OVER (ROWS UNBOUNDED PRECEDING) FROM rows")


# One sum goes beyond its type, so that one task evaluates all rows.
@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("order", ["", "ORDER BY id"])
def test_a_sum_that_overflows_on_the_way(sharing: Sharing, order: str, ansi: str) -> None:
    value = "if(id % 2 = 0, 1, -1) * (9223372036854700000 + id)"
    query = f"SELECT id, sum({value}) OVER ({order}) FROM (SELECT id FROM rows)"
    sharing.ask(query, tasks=range(1, 8), spark_too=True, ansi_enabled=ansi)


# Without ANSI mode, a bound beyond the end of a whole-numbered type is at its other end. Bounds never go back:
# it empties the frames of all rows after it, so that one task evaluates them all.
@pytest.mark.parametrize(
    ("first", "frame"),
    [
        ("-2147483648", "500 PRECEDING AND 500 FOLLOWING"),
        ("2147482147", "500 FOLLOWING AND UNBOUNDED FOLLOWING"),
        ("2147482147", "CURRENT ROW AND 400 FOLLOWING"),
    ],
)
def test_bounds_that_wrap_around(sharing: Sharing, first: str, frame: str) -> None:
    over = f"OVER (ORDER BY k RANGE BETWEEN {frame})"
    query = f"SELECT id, min(id) {over}, count(*) {over} FROM (SELECT id, cast({first} + id AS int) AS k FROM rows)"
    sharing.ask(query, tasks=range(1), ansi_enabled="false")


@pytest.mark.parametrize("order", ["k", "k DESC"])
def test_bounds_of_dates_that_wrap_around(sharing: Sharing, order: str) -> None:
    over = f"OVER (ORDER BY {order} RANGE BETWEEN CURRENT ROW AND {{}} FOLLOWING)"
    rows = "(SELECT id, date_add(DATE'1970-01-01', CAST(id AS INT) - 1000) AS k FROM rows)"
    sharing.ask(
        f"SELECT id, count(*) {over.format(2147483647)}, min(id) {over.format(2147483647)} FROM {rows}", tasks=range(1)
    )
    sharing.ask(f"SELECT id, count(*) {over.format(100)} FROM {rows}")
