"""What an executed plan says of its moving windows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame


def plan(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().executedPlan().toString())


def metric(frame: DataFrame, name: str, operator: str = "SlidingWindow") -> int:
    """A metric of the frame's moving windows, after it ran without adaptive execution."""
    nodes = [node for node in _nodes(frame._jdf.queryExecution().executedPlan()) if node.nodeName() == operator]
    assert nodes
    return sum(int(node.metrics().apply(name).value()) for node in nodes)


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for i in range(node.children().size()):
        yield from _nodes(node.children().apply(i))
