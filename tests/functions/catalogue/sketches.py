"""Approximate counts and sums, membership, frequency and classification."""

from __future__ import annotations

import random

from generated.call import Call, Compare, Maker
from generated.column import INTEGRAL
from generated.declarative import ORDERABLE, pick
from generated.table import Table

from functions.catalogue.tested import Peer, Tested

# Frames of the last rows are of 1,001 at most, whatever the rows of the table.
LONGEST = 1001
EPSILONS = (0.3, 0.01, 0.0001)


def _draw_bloom_filter(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, ORDERABLE)
    return Call(f"might_contain(bloom_filter_agg({x.name}, 50) {{over}}, {x.name})")


def _draw_sketch_estimate(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, (*INTEGRAL, "string", "binary"))
    return Call(f"count_min_sketch_estimate(count_min_sketch({x.name}, 0.2D, 0.8D, 7) {{over}}, {x.name})")


def _draw_naive_bayes(rng: random.Random, table: Table) -> Call:
    label = pick(rng, table, (*INTEGRAL, "string", "boolean", "date"), tame=True)
    number, word = pick(rng, table, INTEGRAL, tame=True), pick(rng, table, ("string", "boolean"))
    model = f"naive_bayes_agg({label.name}, named_struct('n', {number.name}, 'w', {word.name})) {{over}}"
    score = f"naive_bayes_score({model}, named_struct('w', {word.name}))"
    return Call(f"array_sort(transform({score}, s -> s.probability))", None, Compare.CLOSE, 1e-9)


def _draw_approx_count_if(rng: random.Random, table: Table) -> Call:
    x, epsilon = pick(rng, table, INTEGRAL).name, rng.choice(EPSILONS)
    condition = rng.choice([f"{x} > 0", f"{x} IS NULL", "id % 3 = 0", "boolean_0", "true"])
    sql = f"approx_count_if({condition}, {epsilon:.6f}) {{over}}"
    return Call(sql, None, Compare.CLOSE, epsilon * LONGEST, ordered=True)


def _from_0_to_100(rng: random.Random, table: Table) -> str:
    x = pick(rng, table, ORDERABLE).name
    return f"CASE WHEN {x} IS NOT NULL THEN pmod(hash({x}), 101) END"


def _draw_approx_sum(rng: random.Random, table: Table) -> Call:
    x, epsilon = _from_0_to_100(rng, table), rng.choice(EPSILONS)
    x, bound = rng.choice([(x, "100"), (f"({x}) / 100D", "1D")])
    sql = f"approx_sum({x}, {bound}, {epsilon:.6f}) {{over}}"
    return Call(sql, None, Compare.CLOSE, epsilon * LONGEST * (100 if bound == "100" else 1), ordered=True)


def _draw_sliding_sketch(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        ts = f"pmod(hash({pick(rng, table, ORDERABLE).name}), 1000)"
        epsilon, width = rng.choice(EPSILONS), rng.choice([0, 10, 500, 1000])
        x = f", {_from_0_to_100(rng, table)}" if "sum" in name else ""
        sketch = f"{name}({ts}{x}, 1000, {epsilon:.6f}) {{over}}"
        # Both ways may be wrong, by so much of what was since the begin of the window.
        tolerance = 2 * epsilon * table.rows * (100 if x else 1)
        return Call(f"sliding_sketch_estimate({sketch}, 1000, {width})", None, Compare.CLOSE, tolerance)

    return make


LATELY = "aggregate(collect_list(struct(t, x)) {w}, 0L, (a, e) -> a + if(e.t >= t - 500, e.x, 0L))"
FUNCTIONS = [
    Tested(
        "bloom_filter_agg",
        draw=_draw_bloom_filter,
        grouped=["might_contain(bloom_filter_agg(id)%, 7)"],
        of_nulls="bloom_filter_agg(x)",
        streams=[
            "might_contain(bloom_filter_agg(s, 50)%, s)",
            "might_contain(bloom_filter_agg(n, 1000)%, id)",
        ],
        refusals=[
            ("bloom_filter_agg(x, 0)", "VALUE_OUT_OF_RANGE", ["`expected`", "[1, 4000000]", "0"]),
            ("bloom_filter_agg(x, 10, -1)", "VALUE_OUT_OF_RANGE", ["`bits`", "-1"]),
            ("bloom_filter_agg(x, NULL)", "VALUE_OUT_OF_RANGE", ["`expected`", "[1, 4000000]", "NULL"]),
            ("bloom_filter_agg(x, 'a')", "UNEXPECTED_INPUT_TYPE", ["second", "INTEGRAL", "from 1 to 4000000"]),
            ("bloom_filter_agg(x, i)", "NON_FOLDABLE_INPUT", ["`expected`"]),
            ("bloom_filter_agg(map(x, i))", "UNEXPECTED_INPUT_TYPE", ["first", "hashable", "MAP"]),
            ("bloom_filter_agg(array(s COLLATE utf8_lcase))", "UNEXPECTED_INPUT_TYPE", ["first", "hashable"]),
            ("might_contain(x, x)", "UNEXPECTED_INPUT_TYPE", ["first", "BINARY"]),
        ],
        peer=Peer("might_contain(bloom_filter_agg(x, 101) {w}, 5)", "array_contains(collect_set(x) {w}, 5)", same=None),
    ),
    Tested(
        "count_min_sketch_estimate",
        draw=_draw_sketch_estimate,
        weight=0.5,
        grouped=["count_min_sketch_estimate(count_min_sketch(x, 0.01d, 0.99d, 1)%, 3L)"],
        streams=["count_min_sketch_estimate(count_min_sketch(n, 0.2D, 0.8D, 7)%, n)"],
        refusals=[("count_min_sketch_estimate(x, x)", "UNEXPECTED_INPUT_TYPE", ["first", "BINARY"])],
        peer=Peer(
            "count_min_sketch_estimate(count_min_sketch(x, 0.1D, 0.9D, 1) {w}, 5)",
            "size(filter(collect_list(x) {w}, e -> e = 5))",
            same=None,
        ),
    ),
    Tested(
        "count_min_sketch_merge_agg",
        of_nulls="count_min_sketch_merge_agg(x)",
        refusals=[("count_min_sketch_merge_agg(x)", "UNEXPECTED_INPUT_TYPE", ["first", "BINARY"])],
    ),
    Tested(
        "naive_bayes_agg",
        draw=_draw_naive_bayes,
        grouped=["naive_bayes_predict(naive_bayes_agg(s, struct(x))%, named_struct('x', 3))"],
        streams=[
            "array_sort(transform(naive_bayes_score(naive_bayes_agg(g, named_struct('n', mod(n, 3), 's', s))%, "
            "named_struct('s', s)), a -> a.probability))"
        ],
        refusals=[
            ("naive_bayes_agg(x, i)", "UNEXPECTED_INPUT_TYPE", ["second", "STRUCT"]),
            ("naive_bayes_agg(x, struct(a))", "UNEXPECTED_INPUT_TYPE", ["second", "STRUCT"]),
            ("naive_bayes_agg(a, struct(i))", "UNEXPECTED_INPUT_TYPE", ["first", "STRING"]),
            ("naive_bayes_agg(x, struct(i), 0)", "VALUE_OUT_OF_RANGE", ["`smoothing`", "0"]),
            ("naive_bayes_predict(struct(1), struct(i))", "UNEXPECTED_INPUT_TYPE", ["naive_bayes_agg"]),
        ],
        peer=Peer("naive_bayes_agg(x % 2, struct(x)) {w}", "frame_classes(x) {w}", same=None),
    ),
    Tested(
        "approx_count_if",
        draw=_draw_approx_count_if,
        grouped=["approx_count_if(x > 3, 0.1)"],
        approximate_streams=[("approx_count_if(n > 0, 0.1)", 0.1), ("approx_count_if(b, 0.004)", 0.004)],
        peer=Peer("approx_count_if(x > 50, 0.01) {w}", "count_if(x > 50) {w}", same=None),
    ),
    Tested(
        "approx_sum",
        draw=_draw_approx_sum,
        grouped=["approx_sum(x, 10, 0.1)"],
        approximate_streams=[("approx_sum(price, 1, 0.05)", 0.05), ("approx_sum(g, 1, 0.002)", 0.002)],
        peer=Peer("approx_sum(x, 100, 0.01) {w}", "sum(x) {w}", same=None),
    ),
    Tested(
        "sliding_count_sketch_agg",
        draw=_draw_sliding_sketch("sliding_count_sketch_agg"),
        weight=0.5,
        # So small an error that nothing is left out.
        grouped=["sliding_sketch_estimate(sliding_count_sketch_agg(id, 900, 0.0001)%, 1000, 300)"],
        # Both Spark's own way and Slidewise's may be wrong by so much.
        approximate_streams=[
            (
                "sliding_sketch_estimate(sliding_count_sketch_agg(ts, INTERVAL '1' HOUR, 0.1)%, "
                "ts, INTERVAL '1' MINUTE)",
                0.2,
            )
        ],
        peer=Peer(
            "sliding_sketch_estimate(sliding_count_sketch_agg(t, 1000, 0.05) {w}, t, 500)",
            "size(filter(collect_list(t) {w}, e -> e >= t - 500))",
            same=None,
        ),
    ),
    Tested(
        "sliding_sum_sketch_agg",
        draw=_draw_sliding_sketch("sliding_sum_sketch_agg"),
        weight=0.5,
        grouped=["sliding_sketch_bounds(sliding_sum_sketch_agg(id, x, 900, 0.0001)%, 1000, 300)"],
        approximate_streams=[
            (
                "sliding_sketch_estimate(sliding_sum_sketch_agg(ts, g, INTERVAL '10' MINUTE, 0.001)%, "
                "ts, INTERVAL '9' MINUTE)",
                0.002,
            )
        ],
        peer=Peer("sliding_sketch_estimate(sliding_sum_sketch_agg(t, x, 1000, 0.05) {w}, t, 500)", LATELY, same=None),
    ),
]
