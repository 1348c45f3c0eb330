"""GROUP BY with a hopping window(): the rows of Spark, from panes that are aggregated once."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from cases import crossed

from semantics.conftest import Ask
from semantics.hopping import SHAPES, hopping

ZONES = ["UTC", "America/New_York", "Asia/Kathmandu"]
TIMES = {
    "timestamp": "t",
    "timestamp_ntz": "cast(t AS timestamp_ntz)",
    "date": "cast(timestamp_micros(unix_micros(t) * 100) AS date)",
    "string": "cast(t AS string)",
}
VALUES = {
    "int": "cast(x AS int)",
    "bigint": "x * 1000003",
    "double": "if(x = 3, double('NaN'), x / 7D)",
    "float": "cast(x AS float)",
    "decimal(12,2)": "cast(x AS decimal(12, 2)) / 4",
    "decimal(38,4)": "cast(x AS decimal(38, 4)) * cast('100000000000000000' AS decimal(38, 0))",
    "interval": "make_dt_interval(0, 0, cast(x AS int))",
}
ORDERED = VALUES | {
    "string": "concat('a common prefix ', x)",
    "binary": "cast(concat('b', x) AS binary)",
    "boolean": "x > 20",
    "date": "date_add(DATE'1969-12-20', cast(x AS int))",
    "timestamp": "timestamp_seconds(x * 3 - 100)",
    "struct": "named_struct('a', x % 3, 'b', concat('x', x))",
    "array": "array(x % 3, x)",
}
SUMS = ["sum", "avg", "try_sum", "try_avg"]
EXTREMES = [
    "max({0})",
    "min({0})",
    "count({0})",
    "any_value({0}, true) IS NULL",
    "array_contains(collect_set({0}), mode({0}))",
    "sort_array(collect_set({0}))",
]
APPROXIMATED = [
    *(
        f"cast(x % 100 AS {kind})"
        for kind in ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal(9, 2)")
    ),
    "date_add(DATE'1969-12-30', cast(x % 100 AS int))",
    "timestamp_seconds(x - 50)",
    "cast(timestamp_seconds(x - 50) AS timestamp_ntz)",
    "make_dt_interval(0, 0, 0, x)",
    "make_ym_interval(0, cast(x % 30 AS int))",
]
OTHERS = [
    "stddev_samp(x), var_pop(x), skewness(x), kurtosis(x)",
    "corr(x, id), covar_samp(x, id), covar_pop(x, id), regr_slope(x, id), regr_r2(x, id)",
    "max_by(x, id), min_by(concat('s', x), id), max(named_struct('i', id)).i",
    "bit_and(x), bit_or(x), bit_xor(x), bool_and(x > 0), bool_or(x > 40), every(x > 2)",
    "count(*), count(x, id), count_if(x > 9), sum(x) FILTER (WHERE x > 9), max(id) FILTER (WHERE x % 2 = 0)",
    "sort_array(collect_list(x)), sort_array(collect_set(x % 5)), array_size(collect_list(struct(x)))",
    "percentile(x, 0.3), percentile(x, array(0.1, 0.9)), median(x)",
    "percentile_cont(0.5) WITHIN GROUP (ORDER BY x), percentile_disc(0.5) WITHIN GROUP (ORDER BY x)",
    "percentile(cast(x AS float), 0.2), percentile(x * 0.5D, 0.7, x % 3), percentile(cast(x AS decimal(9, 2)), 0.4)",
    "percentile(make_dt_interval(0, 0, 0, x), 0.3), median(make_ym_interval(0, cast(x % 30 AS int))) = INTERVAL 1 YEAR",
    "percentile(cast(x AS decimal(38, 2)), 0.4), median(if(x % 5 = 0, double('NaN'), if(x % 7 = 0, -0.0D, x % 3)))",
    ", ".join(f"cast(percentile_approx({value}, array(0, 0.3, 0.8, 1)) AS string)" for value in APPROXIMATED),
    "percentile_approx(x, array())",
    "approx_count_distinct(x), approx_count_distinct(concat('x', id), 0.02)",
    "max_count(x), min_count(x % 5), round(geomean(x + 1), 9)",
    "hll_sketch_estimate(hll_sketch_agg(x)), bitmap_count(bitmap_construct_agg(bitmap_bit_position(id)))",
]
KEYS = {
    "none": "",
    "bigint": "k",
    "double": "if(k = 1, -0.0D, if(k = 3, 0.0D, if(k = 5, double('NaN'), k / 3D)))",
    "float": "cast(if(k = 1, -0.0D, if(k = 3, 0.0D, if(k = 5, double('NaN'), k / 3D))) AS float)",
    "decimal(38,2)": "cast(k AS decimal(38, 2))",
    "string": "concat('a key of some length ', k)",
    "binary": "cast(concat('x', k) AS binary)",
    "date": "date_add(DATE'1969-12-30', cast(k AS int))",
    "timestamp": "timestamp_seconds(k - 3)",
    "timestamp_ntz": "cast(timestamp_seconds(k - 3) AS timestamp_ntz)",
    "struct": "named_struct('a', k % 2, 'b', if(k = 3, 0.0D, if(k = 1, -0.0D, 1D)))",
    "array": "array(k, NULL)",
    "boolean": "k > 3",
    "two": "k % 2, concat('x', k)",
    "constant": "'one', k",
    "null": "nullif(k, k)",
}


@pytest.mark.parametrize(("kind", "shape"), crossed(VALUES, SHAPES))
def test_sums(hops: Ask, kind: str, shape: str) -> None:
    value = VALUES[kind]
    assert hops(hopping(", ".join(f"{function}({value})" for function in SUMS), SHAPES[shape], "k"))


@pytest.mark.parametrize(("kinds", "shape"), crossed(list(zip(*[iter(ORDERED)] * 2, strict=True)), SHAPES))
def test_extremes(hops: Ask, kinds: tuple[str, str], shape: str) -> None:
    calls = [call.format(ORDERED[kind]) for kind in kinds for call in EXTREMES]
    assert hops(hopping(", ".join(calls), SHAPES[shape], "k"))


@pytest.mark.parametrize(("calls", "shape"), crossed(OTHERS, SHAPES))
def test_other_aggregates(hops: Ask, calls: str, shape: str) -> None:
    assert hops(hopping(calls, SHAPES[shape], "k"))


@pytest.mark.parametrize(("key", "shape"), crossed(KEYS, SHAPES))
def test_keys(hops: Ask, key: str, shape: str) -> None:
    assert hops(hopping("count(*), sum(x), max(id)", SHAPES[shape], KEYS[key]))


@pytest.mark.parametrize(
    ("time", "shape", "zone"), crossed(TIMES, SHAPES, ["UTC", "America/New_York", "Asia/Kathmandu"])
)
def test_times(hops: Ask, time: str, shape: str, zone: str) -> None:
    assert hops(hopping("count(*), sum(x)", SHAPES[shape], time=TIMES[time]), session_timeZone=zone)


@pytest.mark.parametrize(
    "changes",
    [
        {"adaptive_enabled": False},
        {"codegen_wholeStage": False},
        {"codegen_factoryMode": "NO_CODEGEN"},
        {"ansi_enabled": False},
        {"execution_useObjectHashAggregateExec": False},
        {"shuffle_partitions": 7},
    ],
    ids=str,
)
def test_settings_of_spark(hops: Ask, changes: dict[str, Any]) -> None:
    calls = "count(*), sum(x), avg(x), max(x), sort_array(collect_list(x)), approx_count_distinct(id)"
    assert hops(hopping(calls, SHAPES["no multiple"], "k"), **changes)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_summer_time(hops: Ask, zone: str) -> None:
    sql = """SELECT window(t, '3 hours', '1 hour'), count(*) FROM
             (SELECT timestamp'2024-11-03 03:00:00Z' + make_dt_interval(0, 0, 0, id * 900) AS t FROM range(24))
             GROUP BY 1"""
    assert len(hops(sql, session_timeZone=zone)) == 8


def test_the_definition(hops: Ask) -> None:
    sql = """SELECT window(t, '5 seconds', '2 seconds', '1 second').start AS w, sum(x), collect_list(x)
             FROM VALUES (timestamp_seconds(-1), 1), (timestamp_seconds(4), 2), (NULL, 4) AS v(t, x)
             GROUP BY window(t, '5 seconds', '2 seconds', '1 second')"""
    starts = [dt.datetime(1970, 1, 1) + dt.timedelta(seconds=s) for s in (-5, -3, -1, 1, 3)]
    sums = [(1, [1]), (1, [1]), (1, [1]), (2, [2]), (2, [2])]
    # Windows begin at odd seconds; that from -1 on ends before the second time.
    assert sorted(hops(sql)) == [(start, *values) for start, values in zip(starts, sums, strict=True)]


def test_gaps_of_centuries(hops: Ask) -> None:
    sql = """SELECT window(t, '3 seconds', '1 second'), k, count(*) FROM
             (SELECT timestamp_seconds(id * 3155760000) AS t, id % 2 AS k FROM range(-15, 30)) GROUP BY 1, 2"""
    assert len(hops(sql)) == 45 * 3


def test_no_rows(hops: Ask) -> None:
    assert hops(hopping("count(*)").replace("FROM hops", "FROM hops WHERE x > 1000")) == []


def test_users_columns_that_pass_the_window(hops: Ask) -> None:
    sql = """SELECT w, kk, count(*), sum(y)
             FROM (SELECT window(t, '1 hour', '7 minutes') AS w, k + 1 AS kk, x * 2 AS y, x FROM hops)
             WHERE x > 5 GROUP BY w, kk"""
    assert hops(sql)
