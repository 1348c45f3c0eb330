"""Spark's typed imperative aggregates: collections, percentiles, sketches."""

from __future__ import annotations

import random

from generated.call import Call, Compare, Function, Maker
from generated.column import FRACTIONAL, INTEGRAL, NUMERIC, TEMPORAL
from generated.declarative import ORDERABLE, pick
from generated.table import Table


def _collect(names: tuple[str, ...]) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x = pick(rng, table, ORDERABLE)
        duckdb = f"coalesce(list({x.name}) FILTER ({x.name} IS NOT NULL{{and}}) {{window}}, [])"
        return Call(f"{rng.choice(names)}({x.name}) {{over}}", duckdb, ordered=True)

    return make


def _collect_set(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, ORDERABLE)
    return Call(f"collect_set({x.name}) {{over}}", compare=Compare.SET)


def _collect_union(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, INTEGRAL)
    return Call(f"collect_union(array({x.name}, 1)) {{over}}", compare=Compare.SET)


def _listagg(names: tuple[str, ...]) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x = pick(rng, table, ("string",))
        return Call(
            f"{rng.choice(names)}({x.name}, ',') {{over}}",
            f"string_agg({x.name}, ',') {{over}}",
            ordered=True,
        )

    return make


def _approx_count_distinct(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, ORDERABLE)
    error = rng.choice(["", ", 0.1", ", 0.02"])
    return Call(f"approx_count_distinct({x.name}{error}) {{over}}")


def _percentile_approx(names: tuple[str, ...]) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        # An accuracy that keeps every value: what a smaller summary drops depends on the association. A merge of
        # summaries has no place for NaN, which compares with nothing.
        columns = table.of((*INTEGRAL, *FRACTIONAL, *TEMPORAL), ("small", "wide", "extreme"))
        x = rng.choice(columns or [table.columns["id"]])
        at = rng.choice(["0.5", "0.0", "array(0.1, 0.9)"])
        return Call(f"{rng.choice(names)}({x.name}, {at}) {{over}}")

    return make


def _percentile(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, (*INTEGRAL, *FRACTIONAL), tame=True)
    at = rng.choice(["0.5", "0.3", "1.0"])
    if rng.random() < 0.3:
        return Call(f"percentile({x.name}, array({at}, 0.25)) {{over}}", None, Compare.CLOSE)
    if rng.random() < 0.2:
        return Call(f"percentile({x.name}, {at}, 1 + id % 3) {{over}}", None, Compare.CLOSE)
    duckdb = f"quantile_cont(CAST({x.name} AS DOUBLE), {at}) {{over}}"
    return Call(f"percentile({x.name}, {at}) {{over}}", duckdb, Compare.CLOSE, 1e-12 * x.magnitude)


def _mode(rng: random.Random, table: Table) -> Call:
    return Call(f"mode({pick(rng, table, (*INTEGRAL, 'string')).name}, true) {{over}}")


def _histogram(rng: random.Random, table: Table) -> Call:
    # More bins than values: none are merged.
    x = pick(rng, table, NUMERIC, tame=True)
    return Call(f"histogram_numeric({x.name}, 1000) {{over}}", None, Compare.BINS)


def _count_min_sketch(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, (*INTEGRAL, "string", "binary"))
    return Call(f"count_min_sketch({x.name}, 0.2D, 0.8D, 7) {{over}}")


def _bitmap_construct(rng: random.Random, table: Table) -> Call:
    return Call("bitmap_count(bitmap_construct_agg(bitmap_bit_position(id)) {over})")


def _bitmap(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        return Call(f"substring({name}(cast(string_0 AS binary)) {{over}}, 1, 20)")

    return make


def _estimate(estimate: str, sketch: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x = pick(rng, table, ("int", "bigint", "string", "binary"))
        return Call(f"{estimate}({sketch}({x.name}) {{over}})", None, Compare.CLOSE)

    return make


def _tuple_estimate(suffix: str, summary: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        sketch = f"tuple_sketch_agg_{suffix}(id, {summary})"
        reader = rng.choice(["estimate", "summary"])
        return Call(f"tuple_sketch_{reader}_{suffix}({sketch} {{over}})", None, Compare.CLOSE)

    return make


def _kll(suffix: str, column: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        return Call(f"kll_sketch_get_n_{suffix}(kll_sketch_agg_{suffix}({column}) {{over}})")

    return make


def _top(rng: random.Random, table: Table) -> Call:
    # More counters than values: every count is exact.
    x = pick(rng, table, ("int", "string", "date"))
    return Call(f"approx_top_k({x.name}, 1000, 1000) {{over}}", compare=Compare.SET)


def _extremes_by(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        return Call(f"{name}({pick(rng, table, ORDERABLE).name}, id, {rng.choice([1, 3])}) {{over}}")

    return make


FUNCTIONS = [
    Function("collect_list", _collect(("collect_list",)), 2),
    Function("array_agg", _collect(("array_agg",))),
    Function("collect_set", _collect_set, 2),
    Function("collect_union", _collect_union, since=(4, 3)),
    Function("listagg", _listagg(("listagg",)), since=(4, 0)),
    Function("string_agg", _listagg(("string_agg",)), since=(4, 0)),
    Function("approx_count_distinct", _approx_count_distinct, 2),
    Function("percentile_approx", _percentile_approx(("percentile_approx",)), 2),
    Function("approx_percentile", _percentile_approx(("approx_percentile",)), 0.5),
    Function("percentile", _percentile, 2),
    Function("mode", _mode, since=(4, 0)),
    Function("histogram_numeric", _histogram),
    Function("count_min_sketch", _count_min_sketch),
    Function("bitmap_construct_agg", _bitmap_construct),
    Function("bitmap_or_agg", _bitmap("bitmap_or_agg"), 0.5),
    Function("bitmap_and_agg", _bitmap("bitmap_and_agg"), 0.5, since=(4, 1)),
    Function("hll_sketch_agg", _estimate("hll_sketch_estimate", "hll_sketch_agg")),
    Function("theta_sketch_agg", _estimate("theta_sketch_estimate", "theta_sketch_agg"), 0.5, since=(4, 1)),
    Function("tuple_sketch_agg_integer", _tuple_estimate("integer", "int_0"), 0.3, since=(4, 2)),
    Function("tuple_sketch_agg_double", _tuple_estimate("double", "double_0"), 0.3, since=(4, 2)),
    Function("kll_sketch_agg_bigint", _kll("bigint", "bigint_0"), 0.3, since=(4, 1)),
    Function("kll_sketch_agg_double", _kll("double", "double_0"), 0.3, since=(4, 1)),
    Function("kll_sketch_agg_float", _kll("float", "float_0"), 0.3, since=(4, 1)),
    Function("approx_top_k", _top, 0.5, since=(4, 1)),
    Function("max_by", _extremes_by("max_by"), 0.5, since=(4, 2)),
    Function("min_by", _extremes_by("min_by"), 0.5, since=(4, 2)),
]
