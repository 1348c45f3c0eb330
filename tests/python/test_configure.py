"""configure keeps what the caller has set, wherever that is, and adds itself once. No JVM starts here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import slidewise

EXTENSION = "org.slidewise.spark.SlidewiseExtensions"
JAR = slidewise.jar_path()

CONFIGURE = """
import json, logging, os, sys
logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
import slidewise
from pyspark.sql import SparkSession
given = json.loads({given!r})
builder = SparkSession.builder
builder._options.clear()
for key, value in given.items():
    builder.config(key, value)
for _ in range({times}):
    assert slidewise.configure(builder) is builder
print(json.dumps(dict(options=builder._options, arguments=os.environ.get("PYSPARK_SUBMIT_ARGS"))))
"""


@pytest.fixture
def configured(output: Callable[..., str]) -> Callable[..., tuple[dict[str, Any], str | None]]:
    def run(given: dict[str, str], times: int = 1, **env: str) -> tuple[dict[str, Any], str | None]:
        seen = json.loads(output(CONFIGURE.format(given=json.dumps(given), times=times), env=env))
        return seen["options"], seen["arguments"]

    return run


@pytest.mark.parametrize("times", [1, 2])
def test_an_empty_builder_gets_the_jar_and_the_extension(configured, times):
    options, arguments = configured({}, times=times)
    assert options == {"spark.jars": JAR, "spark.sql.extensions": EXTENSION}
    assert arguments is None


@pytest.mark.parametrize("times", [1, 2])
def test_the_builders_own_jars_and_extensions_come_first(configured, times):
    options, _ = configured({"spark.jars": "/a.jar, /b.jar", "spark.sql.extensions": "com.A,com.B"}, times=times)
    assert options["spark.jars"] == f"/a.jar,/b.jar,{JAR}"
    assert options["spark.sql.extensions"] == f"com.A,com.B,{EXTENSION}"


@pytest.mark.parametrize("times", [1, 2])
def test_packages_take_the_jar_through_the_submit_arguments(configured, times):
    options, arguments = configured({"spark.jars.packages": "org:name:1"}, times=times)
    assert "spark.jars" not in options
    assert options["spark.jars.packages"] == "org:name:1"
    assert arguments == f"--jars {JAR} pyspark-shell"


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("equals", [" ", "="])
def test_jars_of_the_submit_arguments_stay(configured, times, equals):
    options, arguments = configured(
        {}, times=times, PYSPARK_SUBMIT_ARGS=f"--jars{equals}/a.jar --verbose pyspark-shell"
    )
    assert "spark.jars" not in options
    assert arguments == f"--jars /a.jar,{JAR} --verbose pyspark-shell"


def test_jars_of_both_the_builder_and_the_submit_arguments_stay(configured):
    options, arguments = configured({"spark.jars": "/b.jar"}, PYSPARK_SUBMIT_ARGS="--jars /a.jar pyspark-shell")
    assert options["spark.jars"] == f"/b.jar,{JAR}"
    assert arguments == f"--jars /a.jar,{JAR} pyspark-shell"


def test_settings_of_the_submit_arguments_stay(configured):
    options, _ = configured(
        {},
        PYSPARK_SUBMIT_ARGS="--conf spark.jars=/a.jar --conf spark.sql.extensions=com.A pyspark-shell",
    )
    assert options["spark.jars"] == f"/a.jar,{JAR}"
    assert options["spark.sql.extensions"] == f"com.A,{EXTENSION}"


def test_settings_of_spark_defaults_stay(configured, tmp_path: Path):
    (tmp_path / "spark-defaults.conf").write_text(
        "# ours\nspark.jars /a.jar,/b.jar\nspark.sql.extensions=com.A\nspark.sql.ansi.enabled: true\n"
    )
    options, _ = configured({}, SPARK_CONF_DIR=str(tmp_path))
    assert options == {"spark.jars": f"/a.jar,/b.jar,{JAR}", "spark.sql.extensions": f"com.A,{EXTENSION}"}


def test_spark_defaults_are_read_as_java_reads_properties(configured, tmp_path: Path):
    (tmp_path / "spark-defaults.conf").write_bytes(
        b"# caf\xe9 \\\nspark.jars = /a.jar,\\\n    /b.jar\n! spark.jars=/c.jar\n"
        b"spark.sql.extensions\tcom.A,\\\r\n  com.\\u0042\n"
    )
    options, _ = configured({}, SPARK_CONF_DIR=str(tmp_path))
    assert options == {"spark.jars": f"/a.jar,/b.jar,{JAR}", "spark.sql.extensions": f"com.A,com.B,{EXTENSION}"}


@pytest.mark.parametrize("equals", [" ", "="])
@pytest.mark.parametrize("both", [False, True])
def test_settings_of_a_properties_file_stay(configured, tmp_path: Path, equals, both):
    (tmp_path / "spark-defaults.conf").write_text("spark.jars /default.jar\nspark.sql.extensions com.Default\n")
    (tmp_path / "mine.conf").write_text("spark.sql.extensions com.A\n")
    named = f"--properties-file{equals}{tmp_path / 'mine.conf'} {'--load-spark-defaults' if both else ''} pyspark-shell"
    options, _ = configured({}, SPARK_CONF_DIR=str(tmp_path), PYSPARK_SUBMIT_ARGS=named)
    assert options["spark.sql.extensions"] == f"com.A,{EXTENSION}"
    assert options["spark.jars"] == (f"/default.jar,{JAR}" if both else JAR)


def test_the_builder_has_the_last_word_over_spark_defaults(configured, tmp_path: Path):
    (tmp_path / "spark-defaults.conf").write_text("spark.sql.extensions com.A\n")
    options, _ = configured({"spark.sql.extensions": "com.B"}, SPARK_CONF_DIR=str(tmp_path))
    assert options["spark.sql.extensions"] == f"com.B,{EXTENSION}"


def test_packages_of_spark_defaults_are_seen(configured, tmp_path: Path):
    (tmp_path / "spark-defaults.conf").write_text("spark.jars.packages org:name:1\nspark.jars /a.jar\n")
    options, arguments = configured({}, SPARK_CONF_DIR=str(tmp_path))
    assert "spark.jars" not in options
    assert arguments == f"--jars /a.jar,{JAR} pyspark-shell"


def test_a_remote_server_is_left_to_itself(configured):
    options, _ = configured({"spark.remote": "sc://far.example"})
    assert options == {"spark.remote": "sc://far.example"}


def test_a_local_connect_server_gets_the_jar_and_the_extension(configured):
    options, _ = configured({"spark.remote": "local[1]"})
    assert options == {"spark.remote": "local[1]", "spark.jars": JAR, "spark.sql.extensions": EXTENSION}


def test_an_unsupported_spark_is_left_alone_with_one_warning(program, tmp_path: Path):
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars/spark-core_2.13-4.9.1.jar").touch()
    done = program(CONFIGURE.format(given="{}", times=1), env={"SPARK_HOME": str(tmp_path)})
    assert json.loads(done.stdout)["options"] == {}
    assert done.stderr.splitlines() == [
        "WARNING Slidewise stays off: Spark 4.9.1 is not supported: Slidewise runs on Spark "
        + ", ".join(slidewise.supported_versions())
    ]


def test_what_is_not_a_builder_is_refused():
    with pytest.raises(TypeError, match="builder is 'local', but must be a session's builder"):
        slidewise.configure("local")
