"""The query of distinct values, percentiles and modes of the stored checkpoints, which must not change either."""

from __future__ import annotations

# Over growing frames the state keeps buffers, and over the others rows.
_SQL = """
SELECT id, {distinct} AS different, {median} AS middle, mode(n % 5, true) OVER growing AS mostly,
       {few} AS few, mode(n % 7, true) OVER w AS often,
       {minute} AS lately
FROM events
WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 40 PRECEDING AND CURRENT ROW),
       growing AS (PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
       minute AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW)"""
SQL = _SQL.format(
    distinct="count(DISTINCT d % 90) OVER growing",
    median="median(n % 99) OVER growing",
    few="count(DISTINCT n % 20, k) OVER w",
    minute="percentile_cont(0.9) WITHIN GROUP (ORDER BY n) OVER minute",
)
# What Spark alone is asked instead.
FOR_SPARK = _SQL.format(
    distinct="size(collect_set(d % 90) OVER growing)",
    median="percentile(n % 99, 0.5) OVER growing",
    few="size(collect_set(if(k IS NULL, NULL, n % 20)) OVER w)",
    minute="percentile(n, 0.9) OVER minute",
)
