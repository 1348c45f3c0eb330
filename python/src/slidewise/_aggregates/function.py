"""The function that Spark sends to the Python workers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from slidewise._aggregates import groups
from slidewise._aggregates import over as windows
from slidewise._aggregates.calls import Calls
from slidewise._aggregates.conversion import to_python

if TYPE_CHECKING:
    import pyarrow as pa

    from slidewise._aggregates.aggregator import Aggregator

Evaluation = Callable[["Iterator[pa.RecordBatch]"], "Iterator[pa.RecordBatch]"]


_EVALUATIONS = {"over": windows.over, "join": windows.join, "partial": groups.partial, "final": groups.final}


class AggregatorFunction:
    """An aggregator as a function of Spark.

    Slidewise's operators find `tag` in the pickled function, and call [evaluation]. Where Spark's own operators run,
    they call the function with the whole columns of a group or frame.

    `tag`: "slidewise-aggregator:" and a JSON object with the type of the buffer.
    """

    def __init__(self, aggregator: Aggregator, tag: str) -> None:
        self.aggregator = aggregator
        self.tag = tag

    def evaluation(self, functions: tuple[AggregatorFunction, ...], spec: str) -> Evaluation:
        """Evaluates the functions of one operator, as `spec` says in JSON."""
        wanted = json.loads(spec)
        evaluate = _EVALUATIONS[wanted["operator"]]
        aggregators = [function.aggregator for function in functions]
        return lambda batches: evaluate(aggregators, wanted, batches)

    def __call__(self, *columns: Any, filter: Any = None, **named: Any) -> Any:
        calls = Calls(self.aggregator)
        rows: Iterable[tuple[Any, ...]] = zip(*map(_values, (*columns, *named.values())))
        if filter is not None:
            rows = (row for row, passes in zip(rows, _values(filter)) if passes)
        return calls.finish(calls.fold(calls.zero(), rows))


def _values(column: Any) -> list[Any]:
    if hasattr(column, "to_pylist"):
        return to_python(column)
    return [None if missing else value for value, missing in zip(column.tolist(), column.isna())]
