"""The query of last occurrences of the stored checkpoints, which must not change either."""

from __future__ import annotations

_SQL = """
SELECT id, {few} AS few, {pairs} AS pairs, {lately} AS lately, {list} AS list, {before} AS before
FROM events
WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 140 PRECEDING AND CURRENT ROW),
       minute AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW),
       past AS (PARTITION BY k ORDER BY ts
                RANGE BETWEEN INTERVAL 50 SECONDS PRECEDING AND INTERVAL 5 SECONDS PRECEDING)"""
SQL = _SQL.format(
    few="count(DISTINCT n % 20) OVER w",
    pairs="count(DISTINCT n % 4, k) OVER w",
    lately="count(DISTINCT d % 90) OVER minute",
    list="array_sort(collect_list(DISTINCT n % 9) OVER minute)",
    before="count(DISTINCT n) OVER past",
)
# What Spark alone is asked instead.
FOR_SPARK = _SQL.format(
    few="size(collect_set(n % 20) OVER w)",
    pairs="size(collect_set(if(k IS NULL, NULL, n % 4)) OVER w)",
    lately="size(collect_set(d % 90) OVER minute)",
    list="array_sort(collect_set(n % 9) OVER minute)",
    before="size(collect_set(n) OVER past)",
)
