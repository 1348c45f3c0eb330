"""The doctor: what it finds in sessions of each kind, and what it says to do."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession
from sparks import needs_connect_server

import slidewise
from slidewise._doctor import _checks, _conflicts, _facts, _self_test
from slidewise._doctor._facts import Facts
from slidewise.cli import _doctor
from slidewise.cli._commands import commands

COMET = "org.apache.comet.CometSparkSessionExtensions"
EXTENSION = "org.slidewise.spark.SlidewiseExtensions"
JAR = Path(slidewise.jar_path()).name
ON = {"spark": "4.3.0", "pyspark": "4.3.0", "jars": (JAR,), "fits": True, "on": True, "extended": True}


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, no window of the self-test is left out."""
    monkeypatch.setattr(_self_test, "_SECONDS", 600.0)


def found(facts: dict) -> list[tuple[str, str]]:
    """The level and the text, with the remedy, of each finding that is not ok."""
    findings = _checks.all_of(Facts(**facts))
    return [(one.level, f"{one.what} → {one.remedy}") for one in findings if one.level != "ok"]


def test_a_session_with_slidewise_on_has_no_finding_but_ok(spark: SparkSession):
    before = spark.conf.get("spark.slidewise.enabled")
    diagnosis = slidewise.doctor(spark)
    assert diagnosis.level == "ok", diagnosis
    topics = [finding.topic for finding in diagnosis.findings]
    assert topics == ["versions", "jar", "session", "functions", "self-test"]
    for words in (f"Spark {spark.version}, Scala 2.1", f"{JAR} fits", "a moving frame, a rank, a hopping window"):
        assert words in str(diagnosis)
    assert spark.conf.get("spark.slidewise.enabled") == before


def test_no_finding_has_no_level_above_ok():
    assert found(ON) == []
    assert slidewise.Diagnosis(()).level == "ok"


@pytest.mark.parametrize(
    ("facts", "level", "words"),
    [
        ({"pyspark": "4.2.1"}, "warning", "PySpark 4.2.1 runs Spark 4.3.0 → pip install pyspark==4.3.*"),
        (
            {"fits": False, "on": False, "scala": "2.13.18", "remedy": "start it anew"},
            "problem",
            f"{JAR} is not built for Spark 4.3.0 with Scala 2.13.18 → start it anew",
        ),
        (
            {"fits": None, "on": False, "unloadable": "class file version 61.0"},
            "problem",
            f"the JVM cannot load {JAR}: class file version 61.0",
        ),
        ({"jars": (JAR, f"copy-of-{JAR}")}, "warning", "the class path has 2 jars of Slidewise → Keep one"),
        (
            {"jars": ("slidewise-spark-4.3_2.13-0.0.9.jar",)},
            "warning",
            f"the jar has version 0.0.9, the Python package {slidewise.__version__} → Use the jar",
        ),
        ({"extended": False}, "note", "not for windows over streams, and not for DISTINCT"),
        ({"on": False, "fits": None, "jars": (), "remedy": "configure"}, "problem", "Slidewise is not on → configure"),
        (
            {"on": False, "fits": None, "jars": (), "settings": {"spark.sql.extensions": EXTENSION}},
            "problem",
            f"Slidewise is not on, though spark.sql.extensions names {EXTENSION}",
        ),
        ({"missing_functions": ("ewma", "rate")}, "problem", "lacks 2 SQL functions of Slidewise: ewma, rate"),
        ({"missing_extensions": ("com.A",)}, "warning", "names com.A, which is not on the class path"),
    ],
)
def test_a_finding_of_the_set_up(facts, level, words):
    ((said_level, said),) = found({**ON, **facts})
    assert said_level == level
    assert words in said


@pytest.mark.parametrize(
    ("key", "value", "level", "words"),
    [
        ("spark.slidewise.enabled", "false", "warning", "Spark evaluates all windows → SET spark.slidewise.enabled"),
        ("spark.slidewise.sort.enable", "false", "warning", "has no effect → Set spark.slidewise.sort.enabled"),
        ("spark.slidewise.topRows.enabled", "false", "note", "Spark sorts all rows for filters"),
        ("spark.slidewise.neverMerge", "mine", "note", "recalculates the frames of these functions"),
        ("spark.sql.adaptive.enabled", "false", "note", "one task evaluates each skewed partition"),
        ("spark.slidewise.enabled", "FALSE", "warning", "Spark evaluates all windows → SET spark.slidewise.enabled"),
        ("spark.sql.adaptive.enabled", "False", "note", "one task evaluates each skewed partition"),
        ("spark.sql.streaming.stateStore.providerClass", "a.HDFSBackedStateStoreProvider", "note", "is in memory"),
        ("spark.plugins", "com.x.Y, org.apache.gluten.GlutenPlugin", "warning", "the native engine Gluten replaces"),
        ("spark.plugins", "com.nvidia.spark.SQLPlugin", "warning", "spark.rapids.sql.enabled set to false"),
        ("spark.sql.extensions", f"com.A,{EXTENSION}", "note", "other extensions change plans, too: com.A"),
    ],
)
def test_a_finding_of_a_setting(key, value, level, words):
    ((said_level, said),) = found({**ON, "settings": {key: value}})
    assert said_level == level
    assert words in said


def test_a_connect_client_of_another_version_is_no_finding():
    assert found({**ON, "pyspark": "4.2.1", "connect": True}) == []


def test_a_setting_that_is_true_is_no_finding():
    keys = [f"spark.slidewise.{key}" for key in _checks._IF_FALSE]
    assert found({**ON, "settings": dict.fromkeys([*keys, "spark.slidewise.enabled"], "true")}) == []


def test_a_native_engine_that_is_off_is_ok():
    settings = {"spark.plugins": "org.apache.spark.CometPlugin", "spark.comet.enabled": "false"}
    assert found({**ON, "settings": settings}) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [("spark.plugins", "org.apache.spark.CometPlugin"), ("spark.sql.extensions", f"{EXTENSION},{COMET}")],
)
def test_a_native_engine_that_is_tested_together_with_slidewise(key, value):
    ((level, said),) = [
        (one.level, one.what) for one in _checks.all_of(Facts(**ON, settings={key: value})) if "Comet" in one.what
    ]
    assert level == "ok"
    assert "tested together with Slidewise" in said


def test_extensions_that_are_tested_together_with_slidewise():
    delta, iceberg = "io.delta.sql.DeltaSparkSessionExtension", next(reversed(_conflicts._TESTED))
    facts = Facts(**ON, settings={"spark.sql.extensions": f"{delta},{iceberg},{EXTENSION}"})
    said = [(one.level, one.what) for one in _checks.all_of(facts) if one.topic == "extensions"]
    assert said == [("ok", "Delta Lake and Iceberg: tested together with Slidewise")]


def test_an_explain_provider_without_its_jar_is_a_problem():
    settings = {"spark.sql.extendedExplainProviders": "org.slidewise.spark.SlidewiseExplain"}
    _, (level, said) = found({**ON, "on": False, "fits": None, "jars": (), "settings": settings})
    assert level == "problem"
    assert "RESET spark.sql.extendedExplainProviders, or add the jar" in said


@pytest.mark.parametrize(
    ("sql", "level", "words"),
    [
        ("SELECT rand() AS r, sum(id) OVER (ORDER BY id) AS s FROM range(3)", "problem", "differ, first in"),
        (
            "SELECT sum(id) OVER (ORDER BY id) / 0 AS s FROM range(3)",
            "problem",
            "fails with Slidewise on: [DIVIDE_BY_ZERO]",
        ),
        (
            "SELECT coalesce(lag(id, 2000) IGNORE NULLS OVER (ORDER BY id), 9) AS l FROM range(3)",
            "warning",
            "Spark evaluates it: lag with IGNORE NULLS",
        ),
        (
            "SELECT count(DISTINCT id) OVER (ORDER BY id) AS n FROM range(3)",
            "warning",
            "fails with Slidewise off: [DISTINCT_WINDOW_FUNCTION_UNSUPPORTED]",
        ),
        ("SELECT 1 AS one", "warning", "slidewise.explain lists no window"),
    ],
)
def test_a_self_test_that_fails(spark: SparkSession, monkeypatch, sql, level, words):
    before = spark.conf.get("spark.slidewise.enabled")
    monkeypatch.setattr(_self_test, "_QUERIES", (_self_test._Query("mine", sql),))
    (finding,) = _self_test.run(spark)
    assert finding.level == level
    assert finding.what.startswith("mine")
    assert words in finding.what
    assert spark.conf.get("spark.slidewise.enabled") == before


def test_a_self_test_without_explain_says_so(spark: SparkSession, monkeypatch):
    monkeypatch.setattr(_self_test, "_explains", lambda spark: False)
    findings = _self_test.run(spark)
    assert [finding.level for finding in findings] == ["ok", "note"]
    assert "does not tell over Spark Connect whether Slidewise evaluated them" in findings[1].what


def test_a_self_test_ends_in_time(spark: SparkSession, monkeypatch):
    monkeypatch.setattr(_self_test, "_SECONDS", 0.0)
    (finding,) = _self_test.run(spark)
    assert finding.level == "note"
    assert "not run, since 0 seconds have passed: a moving frame, a rank, a hopping window" in finding.what


def test_the_facts_of_a_session_with_slidewise_off(spark: SparkSession):
    with slidewise._switch.switched(spark, on=False):
        facts = _facts.of(spark)
        diagnosis = slidewise.doctor(spark, self_test=False)
    assert facts.on
    assert facts.extended
    assert [one.what for one in diagnosis.findings if one.level == "warning"] == [
        "spark.slidewise.enabled is false: Spark evaluates all windows"
    ]


SESSION = """
import slidewise
from slidewise._doctor import _self_test
# However slow the machine is.
_self_test._SECONDS = 600.0
from pyspark.sql import SparkSession
builder = SparkSession.builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", 2)
"""


@pytest.mark.long
def test_a_session_without_the_extension_and_with_another_one(output):
    printed = output(
        SESSION
        + f"""
spark = builder.master("local[2]").config("spark.sql.extensions", "{COMET}").getOrCreate()
print(slidewise.doctor(spark))
slidewise.install(spark)
print("installed")
print(slidewise.doctor(spark))
"""
    )
    before, after = (text.splitlines() for text in printed.split("installed\n"))
    at = before.index("problem  session     Slidewise is not on")
    assert "→ Call slidewise.configure(builder) before the session starts, or slidewise.install" in before[at + 1]
    assert before[at + 1].endswith(f"--jars {slidewise.jar_path()}")
    assert f"spark.sql.extensions names {COMET}, which is not on the class path" in "\n".join(before)
    assert "the native engine DataFusion Comet" in "\n".join(before)
    assert not [line for line in before if "self-test" in line]
    assert not [line for line in after if line.startswith("problem")]
    assert [line.split()[0] for line in after if "Slidewise is on through slidewise.install" in line] == ["note"]
    assert "a moving frame, a rank, a hopping window" in "\n".join(after)


@pytest.mark.long
@needs_connect_server
def test_a_session_of_spark_connect(output, connect_server):
    (printed,) = output(
        SESSION
        + f"""
spark = builder.remote({connect_server!r}).getOrCreate()
diagnosis = slidewise.doctor(spark)
print([(finding.level, finding.topic) for finding in diagnosis.findings], "Java 1" in str(diagnosis))
"""
    ).splitlines()
    topics = ["versions", "jar", "session", "functions", "self-test"]
    assert printed == f"{[('ok', topic) for topic in topics]} True"


@pytest.mark.long
@needs_connect_server
def test_a_connect_server_without_slidewise(output):
    printed = output(SESSION + "print(slidewise.doctor(builder.remote('local[1]').getOrCreate()))")
    at = printed.splitlines().index("problem  session     Slidewise is not on")
    assert printed.splitlines()[at + 1].strip().startswith(f"→ Start the server with --jars {slidewise.jar_path()}")


def test_the_command_prints_the_findings(output):
    options = ("--master", "local[2]", "--conf", "spark.slidewise.sort.enabled=false")
    lines = output("-m", "slidewise", "doctor", *options).splitlines()
    assert lines[0].startswith(f"ok       versions    Slidewise {slidewise.__version__}, Spark ")
    assert "note     settings    spark.slidewise.sort.enabled is false" in [line.split(":")[0] for line in lines]
    assert [line for line in lines if "self-test   the same answers with Slidewise on and off" in line]


@pytest.mark.parametrize(("level", "code"), [("ok", 0), ("warning", 0), ("problem", 1)])
def test_the_command_exits_with_1_on_a_problem(monkeypatch, level, code):
    monkeypatch.setattr(_doctor, "session", lambda settings: nullcontext())
    findings = (slidewise.Finding("ok", "a", "b"), slidewise.Finding(level, "here", "wrong", "mend"))
    monkeypatch.setattr(slidewise, "doctor", lambda spark, self_test: slidewise.Diagnosis(findings))
    done = CliRunner().invoke(commands, ["doctor"])
    assert done.exit_code == code
    assert done.output.splitlines()[-2:] == [f"{level:8} here        wrong", f"{'':20} → mend"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--master", "local", "--remote", "sc://a"], "--master and --remote exclude each other"),
        (["--remote", "a:15002"], "--remote is 'a:15002', but must be a URL such as sc://host:15002"),
        (["--conf", "a"], "--conf is 'a', but must be KEY=VALUE"),
    ],
)
def test_a_wrong_argument_of_the_command_is_named(arguments, message):
    done = CliRunner().invoke(commands, ["doctor", *arguments])
    assert done.exit_code == 2
    assert f"Error: {message}" in done.output
