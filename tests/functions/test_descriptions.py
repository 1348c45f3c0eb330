"""DESCRIBE FUNCTION EXTENDED tells the truth: every example answers what it says."""

from __future__ import annotations

import itertools
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pyspark.sql.functions
import pytest
from cases import long_if
from pyspark.sql import SparkSession
from session import settings
from sparks import SPARK, needs_within_group

import slidewise.functions
from functions.registry import Description, descriptions, examples, lines

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def described(spark: SparkSession) -> list[Description]:
    return descriptions(spark)


def test_every_function_is_described_in_full(spark: SparkSession, described: list[Description]) -> None:
    assert len(described) > 0
    for function in described:
        assert function.usage.startswith(f"{function.name}("), function.name
        assert "Arguments:" in function.arguments, function.name
        assert examples(function), function.name
        assert function.since, function.name
        text = "\n".join(row[0] for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED {function.name}").collect())
        assert all(part in text for part in ("Usage:", "Arguments:", "Examples:", "Since:")), function.name


def test_the_arguments_that_are_described_are_those_of_the_call(described: list[Description]) -> None:
    """By these names they may be given."""
    for function in described:
        call = function.usage.split(" - ")[0]
        names = re.findall(r"\w+", call)[1:]
        said = re.findall(r"^      \* (\w+) - ", function.arguments, flags=re.MULTILINE)
        assert said == names, function.name


@pytest.mark.parametrize(
    ("slidewise_on", "codegen"),
    long_if(
        lambda *case: case != ("true", "CODEGEN_ONLY"),
        list(itertools.product(["true", "false"], ["CODEGEN_ONLY", "NO_CODEGEN"])),
    ),
)
def test_every_example_answers_what_it_says(
    spark: SparkSession, described: list[Description], slidewise_on: str, codegen: str
) -> None:
    changes = {
        "spark.slidewise.enabled": slidewise_on,
        "spark.sql.codegen.factoryMode": codegen,
        "spark.sql.codegen.wholeStage": codegen == "CODEGEN_ONLY",
    }
    with settings(spark, changes):
        wrong = [
            (example.sql, example.expected, answer)
            for function in described
            for example in examples(function)
            if (SPARK >= (4, 0) or "WITHIN GROUP" not in example.sql)
            and (answer := lines(spark.sql(example.sql))) != example.expected
        ]
    assert wrong == []


def test_every_function_has_a_python_helper_with_an_example(described: list[Description]) -> None:
    helpers = {name: getattr(slidewise.functions, name) for name in slidewise.functions.__all__}
    assert {function.name for function in described} <= helpers.keys()
    assert [name for name, helper in helpers.items() if ">>>" not in (helper.__doc__ or "")] == []


def test_no_name_is_that_of_a_function_of_spark(spark: SparkSession, described: list[Description]) -> None:
    """The built-in registry, which no extension is in, and the names that PySpark has functions under."""
    registry = spark._jvm.org.apache.spark.sql.catalyst.analysis.FunctionRegistry
    builtin, names = set(), registry.functionSet().iterator()
    while names.hasNext():
        builtin.add(names.next().funcName())
    assert "sum" in builtin
    assert builtin & {function.name for function in described} == set()
    assert set(dir(pyspark.sql.functions)) & {function.name for function in described} == set()


def test_every_function_has_a_sql_file(described: list[Description]) -> None:
    files = {path.stem for path in (ROOT / "sql" / "functions").glob("*.sql")}
    assert {function.name for function in described} - files == set()


@needs_within_group
def test_the_generated_files_are_current(spark: SparkSession, described: list[Description]) -> None:
    """docs/functions.md, the functions of Scala and the helpers of Python."""
    spec = spec_from_file_location("functions_page", ROOT / "docs" / "functions_page.py")
    assert spec
    assert spec.loader
    generator = module_from_spec(spec)
    spec.loader.exec_module(generator)
    expected = {generator.PAGE: generator.page(spark)} | generator.function_helpers.generated(described)
    assert len(expected) > 3
    stale = [str(path) for path, text in expected.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make docs`"


def test_a_call_in_a_description_has_the_registered_parameters(described: list[Description]) -> None:
    for function in described:
        needed = ", ".join(p.name for p in function.parameters if not p.optional)
        optional = [p.name for p in function.parameters if p.optional]
        call = f"{function.name}({needed}{''.join(f'[, {name}' for name in optional)}{']' * len(optional)})"
        assert function.usage.startswith(f"{call} - "), function.name
