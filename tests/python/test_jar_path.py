"""The jar that fits a Spark version, and the errors where none does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

import slidewise
from slidewise import _jars, _running

MINORS = ", ".join(slidewise.supported_versions())
JARS = list(_jars._jars())


@pytest.mark.parametrize(("minor", "scala"), JARS)
@pytest.mark.parametrize("rest", ["", ".0", ".7", ".0-SNAPSHOT", ".1.dev3", ".6-amzn-2"])
def test_a_jar_for_each_version_of_a_minor(minor, scala, rest):
    path = Path(slidewise.jar_path(minor + rest, f"{scala}.18"))
    assert path.name == f"slidewise-spark-{minor}_{scala}-{slidewise.__version__}.jar"
    assert path.is_file()


@pytest.fixture
def jars(tmp_path: Path, monkeypatch) -> Path:
    """The jars of a package for two minors, of which one has two Scala versions."""
    monkeypatch.setattr(_jars, "_PACKAGE", tmp_path)
    (tmp_path / "jars").mkdir()
    for spark in ("3.5_2.12", "3.5_2.13", "4.10_2.13", "4.9_2.13"):
        (tmp_path / "jars" / f"slidewise-spark-{spark}-{slidewise.__version__}.jar").touch()
    return tmp_path / "jars"


@pytest.mark.parametrize(
    ("spark", "scala", "expected"),
    [
        ("3.5.9", None, "3.5_2.12"),
        ("3.5.9", "2.12.18", "3.5_2.12"),
        ("3.5.9", "2.13", "3.5_2.13"),
        ("4.9.0", None, "4.9_2.13"),
        ("4.10.1", "2.13.17", "4.10_2.13"),
    ],
)
def test_the_jar_has_the_scala_version_of_spark(jars: Path, spark, scala, expected):
    assert slidewise.jar_path(spark, scala) == str(jars / f"slidewise-spark-{expected}-{slidewise.__version__}.jar")


def test_another_scala_version_is_refused_with_those_there_are(jars: Path):
    assert slidewise.supported_versions() == ["3.5", "4.9", "4.10"]
    assert slidewise.supported_scala_versions("3.5.2") == ["2.12", "2.13"]
    with pytest.raises(slidewise.UnsupportedSparkError) as caught:
        slidewise.jar_path("3.5.2", "3.3.1")
    assert str(caught.value) == (
        "Spark 3.5.2 with Scala 3.3 is not supported: on Spark 3.5, Slidewise runs with Scala 2.12, 2.13"
    )


@pytest.mark.parametrize("scala", ["2.12", "2.13"])
def test_a_distribution_of_another_scala_version_gets_its_jar(jars: Path, tmp_path: Path, monkeypatch, scala):
    """As in spark-submit, which names its distribution in SPARK_HOME."""
    (tmp_path / "home/jars").mkdir(parents=True)
    (tmp_path / f"home/jars/spark-core_{scala}-3.5.6-amzn-2.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(_running, "jvm", lambda: None)
    assert _running.spark() == ("3.5.6-amzn-2", scala)
    assert slidewise.jar_path() == str(jars / f"slidewise-spark-3.5_{scala}-{slidewise.__version__}.jar")


@pytest.mark.parametrize(("chosen", "scala"), [(None, "2.12"), ("2.12", "2.12"), ("2.13", "2.13")])
def test_a_build_of_sparks_sources_gets_its_jar(jars: Path, tmp_path: Path, monkeypatch, chosen, scala):
    for built in ("2.12", "2.13"):
        folder = tmp_path / f"home/assembly/target/scala-{built}/jars"
        folder.mkdir(parents=True)
        (folder / f"spark-core_{built}-3.5.6-SNAPSHOT-tests.jar").touch()
        (folder / f"spark-core_{built}-3.5.6-SNAPSHOT.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "home"))
    if chosen:
        monkeypatch.setenv("SPARK_SCALA_VERSION", chosen)
    else:
        monkeypatch.delenv("SPARK_SCALA_VERSION", raising=False)
    monkeypatch.setattr(_running, "jvm", lambda: None)
    assert _running.spark() == ("3.5.6-SNAPSHOT", scala)


def test_a_distribution_whose_python_folder_is_on_the_path_gets_its_jar(tmp_path: Path):
    """As PySpark finds it: two folders up."""
    (tmp_path / "python/pyspark").mkdir(parents=True)
    for file in ("__init__.py", "find_spark_home.py"):
        own = Path(pyspark.__file__).with_name(file) if file != "__init__.py" else None
        (tmp_path / "python/pyspark" / file).write_text(own.read_text() if own else '__version__ = "3.5.6"\n')
    for file in ("bin/spark-submit", "jars/spark-core_2.13-3.5.6.jar"):
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).touch()
    code = "from slidewise import _running; _running.jvm = lambda: None; print(*_running.spark())"
    env = {name: value for name, value in os.environ.items() if name not in ("SPARK_HOME", "PYSPARK_SUBMIT_ARGS")}
    env["PYTHONPATH"] = str(tmp_path / "python")
    run = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["3.5.6", "2.13"]


def test_a_home_without_jars_leaves_the_version_to_pyspark(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setattr(_running, "jvm", lambda: None)
    assert _running.spark() == (pyspark.__version__, None)


def test_a_running_jvm_decides(spark: SparkSession, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    version, scala = _running.spark()
    assert version == spark.version
    assert scala == ("2.12" if version.startswith("3.") else "2.13")


def test_the_default_is_the_spark_that_runs():
    minor = ".".join(pyspark.__version__.split(".")[:2])
    assert slidewise.jar_path() == slidewise.jar_path(minor)


@pytest.mark.all_jars
def test_every_build_has_its_jar():
    """The list in project/SparkBuild.scala, without which the installation of the package builds too few jars."""
    assert JARS == [
        ("3.5", "2.12"),
        ("3.5", "2.13"),
        ("4.0", "2.13"),
        ("4.1", "2.13"),
        ("4.2", "2.13"),
        ("4.3", "2.13"),
    ]


@pytest.mark.parametrize(("minor", "scala"), JARS)
def test_a_jar_holds_the_extension_and_the_core(minor, scala):
    names = set(zipfile.ZipFile(slidewise.jar_path(minor, scala)).namelist())
    assert "org/slidewise/spark/SlidewiseExtensions.class" in names
    assert "org/slidewise/core/Aggregator.class" in names


@pytest.mark.parametrize("version", ["3.4.1", "2.4.0", "4.20.0", "5.0"])
def test_an_unsupported_version_says_which_are_supported(version):
    with pytest.raises(
        slidewise.UnsupportedSparkError, match=rf"^Spark {version} is not supported: .* {re.escape(MINORS)}$"
    ):
        slidewise.jar_path(version)


@pytest.mark.parametrize("version", ["", "latest", "4"])
def test_what_is_no_version_is_named(version):
    with pytest.raises(ValueError, match=rf"^spark_version is '{version}', but must begin with major.minor"):
        slidewise.jar_path(version)
