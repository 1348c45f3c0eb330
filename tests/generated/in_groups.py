"""Runs aggregates over frames in Spark's GROUP BY: over a join of each row with the rows of its frame."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession

from generated import in_spark
from generated.answer import Answer, Rows
from generated.multiset_query import MultisetCase
from generated.window import Window


def answer(spark: SparkSession, cases: Sequence[MultisetCase]) -> Answer:
    """The answer to the cases, without Slidewise."""
    values: dict[int, dict[int, object]] = {}
    for window, frame in dict.fromkeys((case.window.keys, case.frame) for case in cases):
        some = [i for i, case in enumerate(cases) if (case.window.keys, case.frame) == (window, frame)]
        found = in_spark.answer_to(spark, _sql([cases[i] for i in some]), slidewise=False)
        if not isinstance(found, Rows):
            return found
        for row, of_frame in found.values.items():
            values.setdefault(row, {}).update(zip(some, of_frame, strict=True))
    return Rows({row: tuple(of_row[i] for i in range(len(cases))) for row, of_row in values.items()})


def _sql(cases: Sequence[MultisetCase]) -> str:
    """All of one frame. The rows of a frame follow each other in the order of the window's keys."""
    window, frame = cases[0].window, cases[0].frame
    over = window.over(frame)
    selected = ",\n  ".join(f"{case.grouped} AS c{i}" for i, case in enumerate(cases))
    return f"""
        WITH numbered AS (SELECT *, row_number() OVER (ORDER BY {_order(window)}) AS place FROM t),
             frames AS (SELECT id AS row, min(place) {over} AS least, max(place) {over} AS most FROM numbered)
        SELECT row, {selected}
        FROM frames LEFT JOIN numbered ON place BETWEEN least AND most GROUP BY row"""


def _order(window: Window) -> str:
    """Partition by partition, each in its order."""
    partitions, _, order = window.keys.partition("ORDER BY ")
    keys = [partitions.removeprefix("PARTITION BY ").strip(), order, "id"]
    return ", ".join(key for key in keys if key)
