"""Joins of rows with the rows of another table in a range of time, as lateral joins that Spark accepts.

Slidewise runs them with `WindowJoin` and `AsOfJoin`. Without Slidewise, Spark returns the same rows more slowly.
"""

from slidewise._joins._as_of import asof_join
from slidewise._joins._windows import window_join

__all__ = ["asof_join", "window_join"]
