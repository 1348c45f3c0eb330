"""spark-sql, spark-submit and the shells, with the jar given on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from session import EXTENSIONS, slidewise_jar
from sparks import needs_spark

from deployment.commands import JARS, SWITCHED_ON, run
from deployment.expected import ANSWER, REPORT
from deployment.program import QUERY

PROGRAM = str(Path(__file__).parent / "program.py")
LOCAL = ("--master", "local[2]")


def test_spark_sql(tmp_path: Path) -> None:
    in_memory = ("--conf", "spark.sql.catalogImplementation=in-memory")
    printed = run(tmp_path, "spark-sql", *LOCAL, *SWITCHED_ON, *in_memory, "-e", f"EXPLAIN {QUERY}; {QUERY};")
    assert printed.count("SlidingWindow [array-kernels, two-stacks-lite]") == 1
    assert printed.strip().splitlines()[-1].split() == [str(n) for n in ANSWER]


@pytest.mark.long
def test_spark_submit(tmp_path: Path) -> None:
    assert REPORT in run(tmp_path, "spark-submit", *LOCAL, *SWITCHED_ON, PROGRAM)


@pytest.mark.long
def test_the_pyspark_shell(tmp_path: Path) -> None:
    pasted = f"from importlib.machinery import SourceFileLoader\nprogram = SourceFileLoader('program', {PROGRAM!r})"
    pasted += ".load_module()\nprint(program.report(spark))\n"
    assert REPORT in run(tmp_path, "pyspark", *LOCAL, *SWITCHED_ON, stdin=pasted)


# As test_scala_program.py, in a shell.
@pytest.mark.long
def test_the_scala_shell(tmp_path: Path) -> None:
    pasted = f'''val data = spark.sql("""{QUERY}""")
println(s"rows ${{data.collect().toSeq}}, ${{data.queryExecution.executedPlan}}")
'''
    printed = run(tmp_path, "spark-shell", *LOCAL, *SWITCHED_ON, stdin=pasted)
    assert f"[{ANSWER[0]},{ANSWER[1]}]" in printed
    assert "SlidingWindow [" in printed


@pytest.mark.long
@needs_spark("4.0", "a session of PySpark looks for no providers of extensions")
@pytest.mark.parametrize("option", ["--jars", "--driver-class-path"])
def test_a_jar_on_the_class_path_is_enough(tmp_path: Path, option: str) -> None:
    assert REPORT in run(tmp_path, "spark-submit", *LOCAL, option, str(slidewise_jar()), PROGRAM)


@pytest.mark.long
def test_installed_twice_is_installed_once(tmp_path: Path) -> None:
    twice = ("--conf", f"spark.sql.extensions={EXTENSIONS},{EXTENSIONS}")
    program = tmp_path / "strategies.py"
    program.write_text(
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\n"
        "print('planner:', spark._jsparkSession.sessionState().planner().strategies().toString())\n"
        "plan = spark.sql('SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM range(2)')\n"
        "print('plan:', plan._jdf.queryExecution().executedPlan().toString())\n"
    )
    printed = run(tmp_path, "spark-submit", *LOCAL, *JARS, *twice, str(program))
    assert printed.count("SlidingWindowStrategy") == 1
    assert printed.count("SlidingWindow [") == 1
