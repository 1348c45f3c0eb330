"""A jar that was made for another Spark: the session starts, Slidewise stays off, and the log says why."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest
from session import EXTENSIONS, slidewise_jar

from deployment.commands import run

PROGRAM = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
data = spark.sql('SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) AS s FROM range(3)')
plan = data._jdf.queryExecution().executedPlan().toString()
print('rows', [row.s for row in data.collect()], 'SlidingWindow' in plan)
"""


@pytest.mark.all_jars
def test_the_session_starts_and_one_line_says_which_versions_there_are(tmp_path: Path) -> None:
    other = min(jar for jar in slidewise_jar().parent.glob("slidewise-spark-*.jar") if jar != slidewise_jar())
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    switched_on = ("--jars", str(other), "--conf", f"spark.sql.extensions={EXTENSIONS}")
    printed = run(tmp_path, "spark-submit", "--master", "local[1]", *switched_on, str(program), log=True)
    assert "rows [0, 1, 3] False" in printed
    said = [line for line in printed.splitlines() if "Slidewise stays off" in line]
    assert len(said) == 1
    assert f"this is Spark {pyspark.__version__} with Scala 2.1" in said[0]
    assert "; there are jars for Spark 3.5 (Scala 2.12, 2.13), 4.0 (Scala 2.13)" in said[0]
