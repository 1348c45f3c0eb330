"""Aggregates whose input is a column of sketches, which the random generator does not make."""

from __future__ import annotations

import pyspark
import pytest
from cases import crossed

from semantics.conftest import Ask

MAKERS = {
    "hll": "hll_sketch_agg(x)",
    "theta": "theta_sketch_agg(x)",
    "kll": "kll_sketch_agg_bigint(x)",
    "kll_double": "kll_sketch_agg_double(cast(x AS double))",
    "kll_float": "kll_sketch_agg_float(cast(x AS float))",
    "tuples": "tuple_sketch_agg_integer(x, 1)",
    "tuples_double": "tuple_sketch_agg_double(x, 1D)",
    "top": "approx_top_k_accumulate(x, 100)",
}
READ = [
    "hll_sketch_estimate(hll_union_agg(hll) {over})",
    "theta_sketch_estimate(theta_union_agg(theta) {over})",
    "theta_sketch_estimate(theta_intersection_agg(theta) {over})",
    "kll_sketch_get_n_bigint(kll_merge_agg_bigint(kll) {over})",
    "kll_sketch_get_n_double(kll_merge_agg_double(kll_double) {over})",
    "kll_sketch_get_n_float(kll_merge_agg_float(kll_float) {over})",
    "tuple_sketch_estimate_integer(tuple_union_agg_integer(tuples) {over})",
    "tuple_sketch_estimate_double(tuple_union_agg_double(tuples_double) {over})",
    "tuple_sketch_estimate_integer(tuple_intersection_agg_integer(tuples) {over})",
    "tuple_sketch_estimate_double(tuple_intersection_agg_double(tuples_double) {over})",
    "sort_array(approx_top_k_estimate(approx_top_k_combine(top, 100) {over}, 100))",
]
# Spark 4.2 fails where a frame is empty.
FIRST = "CURRENT ROW" if pyspark.__version__.startswith("4.2.") else "1 FOLLOWING"
FRAMES = ["ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", f"RANGE BETWEEN {FIRST} AND UNBOUNDED FOLLOWING"]


@pytest.mark.parametrize(("read", "frame"), crossed(READ, FRAMES))
def test_unions_and_intersections_of_sketches(ask: Ask, read: str, frame: str) -> None:
    made = ", ".join(f"{maker} AS {name}" for name, maker in MAKERS.items() if name in read)
    answer = ask(
        f"""SELECT g, {read.replace("{over}", f"OVER (ORDER BY g {frame})")}
            FROM (SELECT g, {made} FROM (SELECT id div 20 AS g, id % 30 AS x FROM range(160)) GROUP BY g)
            ORDER BY g"""
    )
    assert len(answer) == 8


@pytest.mark.parametrize(
    "call",
    [
        "approx_top_k_estimate(approx_top_k_accumulate(x, 100) {over}, 3)[0].count",
        "approx_top_k(x, 3, 100)[0].count",
    ],
)
def test_the_most_frequent(ask: Ask, call: str) -> None:
    over = "OVER (ORDER BY id ROWS BETWEEN 30 PRECEDING AND CURRENT ROW)"
    sql = call.replace("{over}", over) if "{over}" in call else call.replace("100)", f"100) {over}")
    answer = ask(f"SELECT id, {sql} FROM (SELECT id, if(id % 2 = 0, 7, id) AS x FROM range(60)) ORDER BY id")
    assert answer[40][1] == 16


def test_a_distinct_count_of_thousands_is_within_its_error(ask: Ask) -> None:
    answer = ask(
        """SELECT id, approx_count_distinct(id % 1500, 0.02) OVER (ORDER BY id ROWS 1999 PRECEDING)
           FROM range(4000) ORDER BY id"""
    )
    assert abs(answer[-1][1] - 1500) < 0.06 * 1500
