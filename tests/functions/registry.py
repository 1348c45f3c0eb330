"""What the session's registry says of Slidewise's functions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Description:
    name: str
    usage: str
    arguments: str
    examples: str
    note: str
    since: str
    group: str


@dataclass(frozen=True)
class Example:
    sql: str
    expected: list[str]


def descriptions(spark: SparkSession) -> list[Description]:
    """Those of the functions whose class is Slidewise's, by name."""
    registry = spark._jsparkSession.sessionState().functionRegistry()
    found, functions = [], registry.listFunction().iterator()
    while functions.hasNext():
        info = registry.lookupFunction(functions.next()).get()
        if str(info.getClassName()).startswith("org.slidewise"):
            parts = (info.getUsage(), info.getArguments(), info.getExamples(), info.getNote())
            texts = [str(part).replace("_FUNC_", info.getName()) for part in parts]
            found.append(Description(info.getName(), *texts, info.getSince(), info.getGroup()))
    return sorted(found, key=lambda d: d.name)


def examples(description: Description) -> list[Example]:
    """The statements of a description, each with the lines that it answers."""
    statements = re.split(r"^      > ", description.examples, flags=re.MULTILINE)[1:]
    lines = [statement.rstrip().split("\n") for statement in statements]
    return [Example(first.rstrip(";"), [line[7:] for line in rest if line.strip()]) for first, *rest in lines]


def lines(frame: DataFrame) -> list[str]:
    """A frame's rows as the command line `spark-sql` prints them."""
    plan = frame._jdf.queryExecution().executedPlan()
    hive = frame.sparkSession._jvm.org.apache.spark.sql.execution.HiveResult
    rows = hive.hiveResultString(plan).iterator()
    found = []
    while rows.hasNext():
        found.append(rows.next())
    return found
