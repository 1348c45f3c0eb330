"""The interface of an aggregate that is written in Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType


class Aggregator(ABC):
    """An aggregate function in Python, with the interface of Spark 4.4's `pyspark.sql.aggregator.Aggregator`.

    A buffer is a tuple with a value for each field of `bufferSchema`. A row is a tuple of the function's arguments.

    `merge` must be associative, and `zero()` its identity. Over a window, the buffers are those of adjacent rows, and
    the older come first, so that `merge` need not be commutative. In `GROUP BY`, Spark has no order of rows, so that
    it must be.

    Cost: over a window, at most four calls of `reduce` and `merge` a row, and one of `finish`, whatever the frame
    (Two-Stacks Lite: Tangwongsan, Hirzel, Schneider, In-Order Sliding-Window Aggregation in Worst-Case Constant Time,
    section 4). Memory: in the Python worker, for frames that lose rows, the arguments of a frame's rows and a buffer
    for each, and in batches the buffers of two to three frames; else one buffer and the rows of a few batches.

    **Batches.** An aggregator of numbers may have the same methods for many buffers at once. A buffer is then a tuple
    of NumPy arrays, with an element for each of the buffers, and so are the arguments:

    | method | returns |
    |---|---|
    | `reduce_batch(buffers, values)` | the i-th buffer with the i-th row |
    | `merge_batch(older, newer)` | the i-th buffers of both, merged |
    | `finish_batch(buffers)` | an array of the results; a masked array where some are null |

    An aggregator must have all three of them or none. Rows with a null argument do not reach `reduce_batch`.
    `merge_batch` may get buffers whose result no frame needs, such as those of the last row of a partition and the
    first of the next.

    >>> from pyspark.sql.types import DoubleType, LongType, StructField, StructType
    >>> class Mean(Aggregator):
    ...     bufferSchema = StructType([StructField("sum", DoubleType()), StructField("count", LongType())])
    ...     outputType = DoubleType()
    ...
    ...     def zero(self):
    ...         return (0.0, 0)
    ...
    ...     def reduce(self, buffer, value):
    ...         return buffer if value[0] is None else (buffer[0] + value[0], buffer[1] + 1)
    ...
    ...     def merge(self, older, newer):
    ...         return (older[0] + newer[0], older[1] + newer[1])
    ...
    ...     def finish(self, buffer):
    ...         return buffer[0] / buffer[1] if buffer[1] else None
    >>> mean = Mean()
    >>> mean.finish(mean.merge(mean.reduce(mean.zero(), (1.0,)), mean.reduce(mean.zero(), (2.0,))))
    1.5
    """

    @property
    @abstractmethod
    def bufferSchema(self) -> StructType:  # noqa: N802
        """The names and types of a buffer's values. A class attribute will do."""

    @property
    @abstractmethod
    def outputType(self) -> DataType:  # noqa: N802
        """The type of the result. A class attribute will do."""

    @abstractmethod
    def zero(self) -> tuple[Any, ...]:
        """The buffer of no rows."""

    @abstractmethod
    def reduce(self, buffer: tuple[Any, ...], value: tuple[Any, ...]) -> tuple[Any, ...]:
        """The buffer with one row more, which follows its rows."""

    @abstractmethod
    def merge(self, buffer1: tuple[Any, ...], buffer2: tuple[Any, ...]) -> tuple[Any, ...]:
        """The buffer of the rows of both; those of `buffer1` are older."""

    @abstractmethod
    def finish(self, buffer: tuple[Any, ...]) -> Any:
        """The result for the rows of a buffer."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            f"{type(self).__name__} is an aggregator: slidewise.udaf({type(self).__name__}()) makes a function of it"
        )
