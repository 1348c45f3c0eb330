"""Checks on a query that runs twice: that it is no command, and which of its functions change from run to run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from slidewise._versions import is_since

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CATALYST = "org.apache.spark.sql.catalyst"
# INSERT is a ParsedStatement, BEGIN … END (since Spark 4.0) a CompoundBody; the other statements are Commands.
_STATEMENTS = {"Command": "3.5", "ParsedStatement": "3.5", "CompoundBody": "4.0"}
_EXECUTE_IMMEDIATE = {"ExecuteImmediateQuery", "UnresolvedExecuteImmediate"}
_OF_THE_CLOCK = {"current_timestamp", "now", "localtimestamp", "current_date", "current_time"}


def statement_in(spark: SparkSession, sql: str) -> str | None:
    """The name of the parsed plan's first node that is a statement with effects, None for a query."""
    session: Any = spark._jsparkSession
    statements = [
        f"{_CATALYST}.plans.logical.{c}" for c, since in _STATEMENTS.items() if is_since(since, spark.version)
    ]
    for node in _nodes(session.sessionState().sqlParser().parsePlan(sql)):
        name = str(node.getClass().getSimpleName())
        if name in _EXECUTE_IMMEDIATE or any(_is(spark, node, statement) for statement in statements):
            return name
    return None


def changing_functions(result: DataFrame) -> list[str]:
    """The functions of the analysed plan whose value may change from run to run, such as `rand`."""
    spark = result.sparkSession
    return list(dict.fromkeys(_changing(spark, result._jdf.queryExecution().analyzed())))


def _changing(spark: SparkSession, plan: Any) -> Iterator[str]:
    for node in _nodes(plan):
        if node.getClass().getSimpleName() == "Sample":
            yield "tablesample"
        for expression in _each(node.expressions()):
            for inner in _nodes(expression):
                name = str(inner.prettyName())
                if _is(spark, inner, f"{_CATALYST}.expressions.PlanExpression"):
                    yield from _changing(spark, inner.plan())
                elif name in _OF_THE_CLOCK or _changes_by_itself(inner):
                    yield name


def _changes_by_itself(expression: Any) -> bool:
    return not expression.deterministic() and all(child.deterministic() for child in _each(expression.children()))


def _nodes(tree: Any) -> Iterator[Any]:
    yield tree
    for child in _each(tree.children()):
        yield from _nodes(child)


def _each(elements: Any) -> Iterator[Any]:
    iterator = elements.iterator()
    while iterator.hasNext():
        yield iterator.next()


def _is(spark: SparkSession, java_object: Any, java_class: str) -> bool:
    from py4j.java_gateway import is_instance_of

    gateway: Any = spark._sc._gateway
    return bool(is_instance_of(gateway, java_object, java_class))
