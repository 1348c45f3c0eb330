"""Aggregate functions from aggregators that are written in Python."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

from slidewise import _aggregates
from slidewise._aggregates.aggregator import Aggregator

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TAG = "slidewise-aggregator:"


def udaf(aggregator: Aggregator) -> Any:
    """An aggregate function of columns, for `OVER`, `GROUP BY`, and `spark.udf.register`.

    An argument named `filter` is a condition: rows for which it is not true do not count. In SQL, the FILTER clause
    does the same. Both need Spark 4.0 or later.

    >>> import slidewise
    >>> from pyspark.sql import SparkSession, Window, functions as sf
    >>> from pyspark.sql.types import LongType, StructField, StructType
    >>> class Longest(slidewise.Aggregator):
    ...     bufferSchema = StructType([StructField("length", LongType())])
    ...     outputType = LongType()
    ...
    ...     def zero(self):
    ...         return (0,)
    ...
    ...     def reduce(self, buffer, value):
    ...         return (max(buffer[0], len(value[0])),)
    ...
    ...     def merge(self, older, newer):
    ...         return (max(older[0], newer[0]),)
    ...
    ...     def finish(self, buffer):
    ...         return buffer[0]
    >>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    >>> _ = slidewise.install(spark)
    >>> longest = slidewise.udaf(Longest())
    >>> words = spark.createDataFrame([(1, "a"), (2, "abc"), (3, "ab"), (4, "a")], "at int, word string")
    >>> words.select("word", longest("word").over(Window.orderBy("at").rowsBetween(-1, 0)).alias("longest")).show()
    +----+-------+
    |word|longest|
    +----+-------+
    |   a|      1|
    | abc|      3|
    |  ab|      3|
    |   a|      2|
    +----+-------+
    <BLANKLINE>

    Raises TypeError if `aggregator` is not an aggregator, or a value of its types cannot travel between Spark and
    Python, and ValueError if `bufferSchema` names two fields alike or the batch form lacks a method.
    """
    from pyspark import cloudpickle
    from pyspark.sql.utils import is_remote

    from slidewise._aggregates.calls import has_batches
    from slidewise._aggregates.function import AggregatorFunction

    _check(aggregator)
    cloudpickle.register_pickle_by_value(_aggregates)  # type: ignore[no-untyped-call]
    if is_remote():
        from pyspark.sql.connect.udf import UserDefinedFunction
    else:
        from pyspark.sql.udf import UserDefinedFunction  # type: ignore[assignment]
    kinds = _eval_types()
    tag = TAG + json.dumps({"buffer": aggregator.bufferSchema.jsonValue(), "inArrays": has_batches(aggregator)})
    return UserDefinedFunction(
        AggregatorFunction(aggregator, tag),
        returnType=aggregator.outputType,
        name=type(aggregator).__name__,
        # Spark 4.1 and later call it with Arrow arrays, which tell a null from NaN.
        evalType=getattr(kinds, "SQL_GROUPED_AGG_ARROW_UDF", kinds.SQL_GROUPED_AGG_PANDAS_UDF),
        deterministic=True,
    )._wrapped()


def _eval_types() -> Any:
    import pyspark.util

    # Spark 3.5 has them elsewhere.
    return getattr(pyspark.util, "PythonEvalType", None) or import_module("pyspark.rdd").PythonEvalType


def register(spark: SparkSession, name: str, aggregator: Aggregator) -> Any:
    """Makes an aggregator a function of SQL in this session, and returns it as [slidewise.udaf] does."""
    return spark.udf.register(name, udaf(aggregator))


def _check(candidate: Any) -> None:
    from pyspark.sql.types import DataType, StructType

    from slidewise._aggregates.calls import BATCH_METHODS, DTYPES
    from slidewise._aggregates.conversion import arrow_type

    if not isinstance(candidate, _classes()):
        raise TypeError(f"aggregator must be an instance of slidewise.Aggregator, but is {candidate!r:.200}")
    aggregator: Any = candidate
    schema, output = aggregator.bufferSchema, aggregator.outputType
    if not isinstance(schema, StructType) or not schema.fields:
        raise TypeError(f"bufferSchema must be a StructType with a field or more, but is {schema!r:.200}")
    if not isinstance(output, DataType):
        raise TypeError(f"outputType must be a DataType, but is {output!r:.200}")
    names = schema.fieldNames()
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"bufferSchema must name each field once, but has several named {', '.join(twice)}")
    arrow_type(schema)
    arrow_type(output)
    has = [method for method in BATCH_METHODS if hasattr(aggregator, method)]
    if has and len(has) < len(BATCH_METHODS):
        lacks = [method for method in BATCH_METHODS if method not in has]
        raise ValueError(f"an aggregator with {' and '.join(has)} must have {' and '.join(lacks)}, too")
    others = [f"{f.name} {f.dataType.simpleString()}" for f in schema.fields if type(f.dataType) not in DTYPES]
    if has and others:
        raise TypeError(
            f"the buffer of an aggregator with a batch form must be of numbers, but has {', '.join(others)}"
        )


def _classes() -> tuple[type, ...]:
    try:
        from pyspark.sql.aggregator import Aggregator as InSpark
    except ImportError:
        return (Aggregator,)
    return (Aggregator, InSpark)
