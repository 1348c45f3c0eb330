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
from sparks import needs_connect_server

import slidewise.functions

MODULES = [f"slidewise.functions.{m.name}" for m in pkgutil.iter_modules(slidewise.functions.__path__)]
OTHERS = ["slidewise"] + [
    m.name
    for m in pkgutil.walk_packages(slidewise.__path__, "slidewise.")
    if not m.name.startswith("slidewise.functions") and not m.name.endswith(("__main__", "_jars"))
]


def run(spark: SparkSession, module: str) -> doctest.TestResults:
    names = {name: getattr(slidewise.functions, name) for name in slidewise.functions.__all__}
    return doctest.testmod(importlib.import_module(module), extraglobs={"spark": spark, "F": F, **names})


@pytest.mark.parametrize("module", [m for m in MODULES if "connect" not in m])
def test_on_a_classic_session(spark: SparkSession, module: str) -> None:
    assert run(spark, module).failed == 0


@needs_connect_server
def test_on_spark_connect(tmp_path: Path) -> None:
    code = """
import slidewise
from pyspark.sql import SparkSession
from functions.test_docstrings import MODULES, run
builder = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", 2)
spark = slidewise.configure(builder).getOrCreate()
for module in MODULES:
    print(module, run(spark, module))
"""
    assert_all_pass(code, MODULES, tmp_path)


def test_of_the_rest_of_the_package(tmp_path: Path) -> None:
    """Some of them start sessions."""
    code = """
import doctest, importlib
from functions.test_docstrings import OTHERS
for module in OTHERS:
    print(module, doctest.testmod(importlib.import_module(module)))
"""
    assert "slidewise.streaming" in OTHERS
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
