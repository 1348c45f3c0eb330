"""Lateral joins as plans of Catalyst, for Spark 3.5, whose DataFrames have none."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column


def with_columns(left: Any, right: Any, condition: Column, columns: Sequence[Column]) -> Any:
    """FROM left JOIN LATERAL (SELECT columns FROM right WHERE condition)"""
    spark = left.sparkSession
    seq = import_module("pyspark.sql.column")._to_seq
    sql = spark._jvm.org.apache.spark.sql
    plans = sql.catalyst.plans
    none = getattr(getattr(spark._jvm.scala, "None$"), "MODULE$")
    nothing = seq(spark.sparkContext, [])
    filtered = plans.logical.Filter(_column(condition).expr(), right._jdf.logicalPlan())
    named = seq(spark.sparkContext, [_column(column).named() for column in columns])
    query = plans.logical.Project(named, filtered)
    number = sql.catalyst.expressions.NamedExpression.newExprId()
    subquery = sql.catalyst.expressions.LateralSubquery(query, nothing, number, nothing, none)
    kind = getattr(getattr(plans, "LeftOuter$"), "MODULE$")
    joined = plans.logical.LateralJoin(left._jdf.logicalPlan(), subquery, kind, none)
    return type(left)(sql.Dataset.ofRows(spark._jsparkSession, joined), spark)


def _column(column: Any) -> Any:
    return column._jc
