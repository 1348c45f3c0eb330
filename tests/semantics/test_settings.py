"""The switch, and the settings of Spark under which an operator must work."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from cases import crossed
from plans import plan
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from session import settings
from sparks import condition_of, portable

from semantics.conftest import Ask
from slidewise import _settings

ROOT = Path(__file__).parents[2]

SQL = portable(
    """SELECT id, sum(x) OVER w, max_by(id, x) OVER w, collect_list(x) OVER w, count(*) FILTER (WHERE x > 50) OVER w,
           approx_count_distinct(x) OVER w, avg(d) OVER w, stddev_samp(x) OVER w IS NULL
         FROM (SELECT id, id % 3 AS p, id * 7 % 101 AS x, cast(id AS decimal(20, 2)) AS d FROM range(300))
         WINDOW w AS (PARTITION BY p ORDER BY id RANGE BETWEEN 9 PRECEDING AND 6 FOLLOWING) ORDER BY id"""
)


@pytest.mark.parametrize(
    ("adaptive", "whole_stage", "factory"),
    crossed([True, False], [False, True], ["FALLBACK", "CODEGEN_ONLY", "NO_CODEGEN"]),
)
def test_adaptive_or_not_compiled_or_interpreted(ask: Ask, adaptive: bool, whole_stage: bool, factory: str) -> None:
    answer = ask(SQL, adaptive_enabled=adaptive, codegen_wholeStage=whole_stage, codegen_factoryMode=factory)
    assert len(answer) == 300


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_any_number_of_tasks(ask: Ask, partitions: int) -> None:
    assert len(ask(SQL, shuffle_partitions=partitions)) == 300


def test_the_switch_is_heard_by_the_next_query(spark: SparkSession) -> None:
    for value in ("true", "false", "true"):
        spark.conf.set("spark.slidewise.enabled", value)
        assert ("SlidingWindow" in plan(spark.sql(SQL))) == (value == "true")
    spark.conf.unset("spark.slidewise.enabled")
    assert "SlidingWindow" in plan(spark.sql(SQL))


@pytest.mark.parametrize("size", ["1k", "64k", "16m"])
def test_an_answer_does_not_depend_on_the_memory_for_states(ask: Ask, spark: SparkSession, size: str) -> None:
    with settings(spark, {"spark.slidewise.state.maxSize": size}):
        assert len(ask(SQL)) == 300


@pytest.mark.parametrize("setting", ["enabled", "state.maxSize", "mergeApproximate"])
def test_an_invalid_value_is_refused_at_once(spark: SparkSession, setting: str) -> None:
    key = f"spark.slidewise.{setting}"
    before = spark.conf.get(key)
    for change in (lambda: spark.conf.set(key, "a lot"), lambda: spark.sql(f"SET {key} = a lot")):
        with pytest.raises(AnalysisException, match=f"{key} = a lot .* Allowed: ") as caught:
            change()
        assert condition_of(caught.value) == "SLIDEWISE_INVALID_SETTING"
    assert spark.conf.get(key) == before


def test_set_lists_the_settings(spark: SparkSession) -> None:
    listed = {row.key: row.value for row in spark.sql("SET -v").collect() if row.key.startswith(_settings.PREFIX)}
    assert tuple(sorted(listed)) == _settings.KEYS
    assert listed["spark.slidewise.state.maxSize"] == "16m"
    assert [tuple(row) for row in spark.sql("SET spark.slidewise.enabled").collect()] == [
        ("spark.slidewise.enabled", "true")
    ]


def test_the_page_of_settings_is_what_they_say_of_themselves(spark: SparkSession) -> None:
    spec = spec_from_file_location("settings_page", ROOT / "docs" / "settings_page.py")
    assert spec
    assert spec.loader
    generator = module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert generator.PAGE.read_text(encoding="utf-8") == generator.page(spark), "run `make docs`"


STARTED = """
import logging, sys
logging.basicConfig(level=logging.WARNING, format="python: %(message)s", stream=sys.stdout)
import slidewise
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.slidewise.state.maxSize", "lots").config("spark.slidewise.enable", "false")
spark = {session}
sql = "SELECT sum(id) OVER (ORDER BY id ROWS 2 PRECEDING) AS s FROM range(4)"
for attempt in (lambda: spark.sql(sql).collect(), lambda: slidewise.explain(spark.sql(sql)).collect()):
    try:
        attempt()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
spark.sql("SET spark.slidewise.enabled = false")
print([row.s for row in spark.sql(sql).collect()])
spark.sql("SET spark.slidewise.enabled = true")
spark.sql("SET spark.slidewise.state.maxSize = 1m")
print(slidewise.explain(spark.sql(sql)).collect()[0].slidewise)
"""


@pytest.mark.parametrize(
    "session",
    [
        "slidewise.configure(builder).getOrCreate()",
        pytest.param("builder.getOrCreate(); slidewise.install(spark)", marks=pytest.mark.long),
    ],
)
def test_an_invalid_value_from_start_up_is_said_when_a_query_is_planned(session: str) -> None:
    """Also that Slidewise can be switched off then, and that a misspelt key is logged."""
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-c", STARTED.format(session=session)]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=900, check=True)
    *_, first, second, off, on = run.stdout.splitlines()
    for line in (first, second):
        assert line.startswith(
            "AnalysisException [SLIDEWISE_INVALID_SETTING] The setting "
            "spark.slidewise.state.maxSize = lots is invalid. Allowed: a size such as 64k, 16m or 1g."
        )
    assert (off, on) == ("[0, 1, 3, 6]", "True")
    assert run.stderr.count("The setting spark.slidewise.enable is unknown") == 1
    assert "\tat org." not in run.stderr
    unknown = "the setting spark.slidewise.enable is unknown and has no effect; the nearest known setting is "
    assert (f"python: {unknown}spark.slidewise.enabled" in run.stdout) == ("configure" in session)


WITHOUT_WINDOWS = """
import slidewise, tempfile
from pyspark.sql import SparkSession, functions as F
from slidewise import _settings
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
for key in _settings.KEYS:
    builder = builder.config(key, "?")
spark = slidewise.configure(builder).getOrCreate()
print(spark.sql("SELECT 1 AS one").collect()[0].one)
print(spark.sql("SELECT id % 2, count(*) FILTER (WHERE id > 1), sum(DISTINCT id) FROM range(9) GROUP BY 1").count())
print(spark.sql("SELECT * FROM range(9) a JOIN range(9) b ON a.id < b.id WHERE a.id IN (SELECT 3)").count())
print(spark.sql("SELECT l.id FROM range(3) l, LATERAL (SELECT l.id + 1 AS n) f").count())
try:
    spark.sql("SELECT nothing FROM range(9)")
except Exception as error:
    print("nothing" in str(error))
folder = tempfile.mkdtemp()
spark.range(5).write.parquet(folder + "/in")
stream = spark.readStream.schema("id long").parquet(folder + "/in")
written = stream.where("id > 1").writeStream.option("checkpointLocation", folder + "/state")
written.trigger(availableNow=True).start(path=folder + "/out", format="parquet").awaitTermination()
print(spark.read.parquet(folder + "/out").count())
for key in _settings.KEYS:
    spark.conf.unset(key)
spark.sql("SET spark.slidewise.enabled = true")
print("done")
"""


def test_invalid_values_from_start_up_fail_no_query_without_windows() -> None:
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-c", WITHOUT_WINDOWS]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=900, check=False)
    assert run.stdout.split() == ["1", "2", "5", "3", "True", "3", "done"], run.stderr[-3000:]


def test_explain_names_the_operator_and_its_algorithm(spark: SparkSession) -> None:
    explained = spark._jvm.PythonSQLUtils.explainString(spark.sql(SQL)._jdf.queryExecution(), "simple")
    assert "SlidingWindow [array-kernels, " in explained


def test_formatted_and_extended_explain(spark: SparkSession) -> None:
    for mode in ("extended", "formatted", "cost"):
        assert "SlidingWindow" in spark._jvm.PythonSQLUtils.explainString(spark.sql(SQL)._jdf.queryExecution(), mode)
