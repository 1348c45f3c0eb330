"""Sessions of each kind with Slidewise switched on in each way, seen from a Python program."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sparks import needs_connect_server

import slidewise

START = """
import slidewise
from pyspark.sql import SparkSession
builder = SparkSession.builder.config("spark.ui.enabled", "false")
"""

LOOK = """
df = spark.sql(
    "SELECT sum(id) OVER (ORDER BY id ROWS 2 PRECEDING) AS s, rank() OVER (ORDER BY id) AS r FROM range(5)"
)
print([row.s for row in df.orderBy("s").collect()])
reports = slidewise.explain(df)
print(reports.columns)
for row in reports.collect():
    print(row.sql.split("(")[0], row.slidewise, bool(row.algorithm), row.reason)
"""

SEEN = ["[0, 1, 3, 6, 9]", "['sql', 'slidewise', 'algorithm', 'reason']"]


@pytest.mark.long
def test_configure_on_a_classic_session(output):
    lines = output(
        START + "spark = slidewise.configure(builder.master('local[1]')).getOrCreate()\n"
        "print(slidewise.install(spark))\n" + LOOK
    ).splitlines()
    assert lines[:3] == ["False", *SEEN]
    assert "sum True True None" in lines


@pytest.mark.long
def test_configure_after_a_session_has_been_stopped(output):
    lines = output(
        START + "builder.master('local[1]').getOrCreate().stop()\n"
        "spark = slidewise.configure(builder).getOrCreate()\nprint(slidewise.install(spark))\n" + LOOK
    ).splitlines()
    assert lines[:3] == ["False", *SEEN]
    assert "sum True True None" in lines


TRY = """
import slidewise.functions as sw
def error_of(call, *arguments):
    try:
        call(*arguments)
    except slidewise.NotInstalledError as error:
        return error
"""


@pytest.mark.long
def test_a_live_session_names_the_remedy_until_slidewise_is_installed(output):
    lines = output(
        START + TRY + "spark = builder.master('local[1]').getOrCreate()\n"
        "print(error_of(slidewise.explain, spark.range(3)))\nprint(error_of(sw.geomean, 'x'))\n"
        "other = spark.newSession()\nslidewise.install(other)\nprint(sw.geomean('id'))\n"
        "print(slidewise.install(spark), slidewise.install(spark))\n" + LOOK
    ).splitlines()
    assert lines[:6] == [
        "Slidewise is not on in this session: call slidewise.install(spark)",
        "Slidewise is not on in this session, which has no function `geomean`: call slidewise.install(spark)",
        "Column<'geomean(id)'>",
        "True False",
        *SEEN,
    ]
    assert "sum True True None" in lines


@pytest.mark.long
@needs_connect_server
def test_a_local_connect_session(output):
    lines = output(
        START + "spark = slidewise.configure(builder.remote('local[1]')).getOrCreate()\n"
        "print(slidewise.install(spark))\n"
        + LOOK
        + "print(spark.conf.get('spark.sql.extendedExplainProviders', None))\n"
    ).splitlines()
    assert lines[:3] == ["False", *SEEN]
    assert "sum True True None" in lines
    assert lines[-1] == "None"


@pytest.mark.long
@needs_connect_server
def test_a_connect_server_without_slidewise_is_named_as_such(output):
    of_install, of_function = output(
        START + TRY + "spark = builder.remote('local[1]').getOrCreate()\n"
        "print(error_of(slidewise.install, spark))\nprint(error_of(sw.geomean, 'x'))"
    ).splitlines()
    assert of_install.startswith("the Spark Connect server does not have Slidewise on")
    assert f"--jars {slidewise.jar_path()}" in of_install
    assert of_function.startswith("Slidewise is not on in this session, which has no function `geomean`")


def test_configure_in_a_program_under_spark_submit(program, tmp_path: Path):
    script = tmp_path / "program.py"
    script.write_text(START + "spark = slidewise.configure(builder).getOrCreate()\n" + LOOK)
    submit = "import sys; from pyspark.find_spark_home import _find_spark_home as home; import subprocess; "
    submit += f"sys.exit(subprocess.call([home() + '/bin/spark-submit', '--master', 'local[1]', {str(script)!r}]))"
    done = program(submit, env={"PYSPARK_PYTHON": sys.executable})
    assert done.returncode == 0, done.stderr
    assert "sum True True None" in done.stdout.splitlines()


@pytest.mark.long
def test_configure_on_a_classic_session_with_a_jar_of_its_own(output, tmp_path: Path):
    theirs = tmp_path / "theirs.jar"
    code = (
        START
        + f"""
import zipfile
zipfile.ZipFile({str(theirs)!r}, "w").writestr("theirs.txt", "theirs")
spark = slidewise.configure(builder.master("local[1]").config("spark.jars", {str(theirs)!r})).getOrCreate()
print(spark.sparkContext._jsc.sc().listJars().toString())
loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
print(loader.getResource("theirs.txt") is not None)
print(slidewise.install(spark))
"""
        + LOOK
    )
    listed, on_driver, *lines = output(code).splitlines()
    assert "theirs.jar" in listed
    assert Path(slidewise.jar_path()).name in listed
    assert on_driver == "True"
    assert lines[:3] == ["False", *SEEN]
    assert "sum True True None" in lines
