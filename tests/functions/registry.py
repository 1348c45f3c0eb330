"""What the session's registry says of Slidewise's functions."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Parameter:
    """`type`: column, int, long, double, boolean, number, duration, time, width, or words, which are `words`."""

    name: str
    type: str
    words: list[str]
    optional: bool


@dataclass(frozen=True)
class Description:
    """`task`: the heading under which the documentation has the function. `ordered`: takes WITHIN GROUP."""

    name: str
    task: str
    ordered: bool
    parameters: list[Parameter]
    usage: str
    arguments: str
    examples: str
    note: str
    since: str
    group: str

    @property
    def summary(self) -> str:
        """What the function returns, without the call."""
        return self.usage.split(" - ", 1)[1]

    @property
    def said_of(self) -> dict[str, str]:
        """The description of each argument."""
        arguments = self.arguments.split("Arguments:")[1].split("\n      * ")[1:]
        return dict(" ".join(argument.split()).split(" - ", 1) for argument in arguments)


@dataclass(frozen=True)
class Example:
    sql: str
    expected: list[str]


def descriptions(spark: SparkSession) -> list[Description]:
    """The functions in the order of their registration."""
    registry = spark._jsparkSession.sessionState().functionRegistry()
    functions = spark._jvm.org.slidewise.spark.expressions.SqlFunctions
    infos, names = {}, registry.listFunction().iterator()
    while names.hasNext():
        info = registry.lookupFunction(names.next()).get()
        if str(info.getClassName()).startswith("org.slidewise"):
            infos[info.getName()] = info
    found = []
    for function in json.loads(functions.signaturesJson()):
        name = function["name"]
        info = infos[name]
        parts = (info.getUsage(), info.getArguments(), info.getExamples(), info.getNote())
        texts = [str(part).replace("_FUNC_", name) for part in parts]
        parameters = [Parameter(**parameter) for parameter in function["parameters"]]
        signature = (name, function["task"], function["ordered"], parameters)
        found.append(Description(*signature, *texts, info.getSince(), info.getGroup()))
    return found


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
