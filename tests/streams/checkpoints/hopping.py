"""The query over hopping windows of the stored checkpoints; it must not change while a checkpoint is kept."""

from __future__ import annotations

from streams.checkpoints.stream import AFTER, BEFORE, SETTINGS, STORES, arrive, begin

__all__ = ["AFTER", "BEFORE", "SETTINGS", "SQL", "STORES", "arrive", "begin"]

# States of each kind: of fixed width, wide decimals, objects; and two panes a slide.
SQL = """
SELECT k, window.start AS start, sum(n) AS s, sum(d) AS wide, sort_array(collect_list(id)) AS ids,
       max_by(id, n) AS most, percentile_approx(n, 0.5) AS middle, count(*) AS size
FROM events
GROUP BY k, window(ts, '25 seconds', '10 seconds')"""
