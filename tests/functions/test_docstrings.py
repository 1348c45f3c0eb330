"""The examples in the docstrings of slidewise.functions, on a classic session and on Spark Connect."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from sparks import SPARK, needs_connect_server

import slidewise.functions

MODULES = [f"slidewise.functions.{m.name}" for m in pkgutil.iter_modules(slidewise.functions.__path__)]
OTHERS = ["slidewise"] + [
    m.name
    for m in pkgutil.walk_packages(slidewise.__path__, "slidewise.")
    if not m.name.startswith("slidewise.functions") and not m.name.endswith(("__main__", "_jars"))
    if SPARK >= (4, 0) or m.name != "slidewise.streaming"
]


# Of an interval of days over dates.
SINCE_4 = {"slidewise.functions._frames.trailing"}


def run(spark: SparkSession, module: str) -> doctest.TestResults:
    names = {name: getattr(slidewise.functions, name) for name in slidewise.functions.__all__}
    globs = {"spark": spark, "F": F, **names}
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(importlib.import_module(module), extraglobs=globs):
        if SPARK < (4, 0):
            test.examples = [example for example in test.examples if "order_by=" not in example.source]
        if SPARK >= (4, 0) or test.name not in SINCE_4:
            runner.run(test)
    return doctest.TestResults(runner.failures, runner.tries)


@pytest.mark.parametrize("module", [m for m in MODULES if "connect" not in m])
def test_on_a_classic_session(spark: SparkSession, module: str) -> None:
    assert run(spark, module).failed == 0


@pytest.mark.long
@needs_connect_server
def test_on_spark_connect(connect_server: str, tmp_path: Path) -> None:
    code = f"""
import slidewise
from pyspark.sql import SparkSession
from functions.test_docstrings import MODULES, run
spark = slidewise.configure(SparkSession.builder.remote("{connect_server}")).getOrCreate()
for module in MODULES:
    print(module, run(spark, module))
"""
    assert_all_pass(code, MODULES, tmp_path)


@pytest.mark.long
def test_of_the_rest_of_the_package(tmp_path: Path) -> None:
    """Some of them start sessions."""
    code = """
import doctest, importlib
from functions.test_docstrings import OTHERS
for module in OTHERS:
    print(module, doctest.testmod(importlib.import_module(module)))
"""
    assert ("slidewise.streaming" in OTHERS) == (SPARK >= (4, 0))
    assert_all_pass(code, OTHERS, tmp_path)


@pytest.mark.all_jars
def test_of_the_versions() -> None:
    assert doctest.testmod(importlib.import_module("slidewise._jars")).failed == 0


def assert_all_pass(code: str, modules: list[str], folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = [line for line in done.stdout.splitlines() if line.startswith("slidewise")]
    assert len(told) == len(modules), done.stdout[-3000:]
    assert [line for line in told if "failed=0" not in line] == [], done.stdout[-5000:]
