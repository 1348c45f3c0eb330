"""The jar that fits a Spark version, and the errors where none does."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pyspark
import pytest

import slidewise

MINORS = " and ".join(slidewise.supported_versions())


@pytest.mark.parametrize("minor", slidewise.supported_versions())
@pytest.mark.parametrize("rest", ["", ".0", ".7", ".0-SNAPSHOT", ".1.dev3"])
def test_a_jar_for_each_version_of_a_minor(minor, rest):
    path = Path(slidewise.jar_path(minor + rest))
    assert path.name == f"slidewise-spark-{minor}_2.13-{slidewise.__version__}.jar"
    assert path.is_file()


def test_the_default_is_the_spark_that_runs():
    minor = ".".join(pyspark.__version__.split(".")[:2])
    assert slidewise.jar_path() == slidewise.jar_path(minor)


@pytest.mark.parametrize("minor", slidewise.supported_versions())
def test_a_jar_holds_the_extension_and_the_core(minor):
    names = set(zipfile.ZipFile(slidewise.jar_path(minor)).namelist())
    assert "org/slidewise/spark/SlidewiseExtensions.class" in names
    assert "org/slidewise/core/Aggregator.class" in names


@pytest.mark.parametrize("version", ["3.5.1", "4.1.0", "4.20.0", "5.0"])
def test_an_unsupported_version_says_which_are_supported(version):
    with pytest.raises(
        slidewise.UnsupportedSparkError, match=rf"^Spark {version} is not supported: .* {re.escape(MINORS)}$"
    ):
        slidewise.jar_path(version)


@pytest.mark.parametrize("version", ["", "latest", "4"])
def test_what_is_no_version_is_named(version):
    with pytest.raises(ValueError, match=rf"^spark_version is '{version}', but must begin with major.minor"):
        slidewise.jar_path(version)
