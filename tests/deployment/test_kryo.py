"""Kryo as the serializer, with no classes but those that Spark has registered."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployment.commands import SWITCHED_ON, run
from deployment.operators import QUERIES

PROGRAM = str(Path(__file__).parent / "operators_program.py")
KRYO = (
    *("--conf", "spark.serializer=org.apache.spark.serializer.KryoSerializer"),
    *("--conf", "spark.kryo.registrationRequired=true"),
)
MASTERS = {
    "one process": ("--master", "local[2]"),
    "executors": ("--master", "local-cluster[2,1,1024]", "--conf", "spark.executor.memory=512m"),
}
UNREGISTERED = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
points = spark._jvm.java.util.ArrayList()
points.add(spark._jvm.java.awt.Point())
try:
    spark._jsc.parallelize(points).collect()
except Exception as error:
    print("refused:", "Class is not registered: java.awt.Point" in str(error))
"""


@pytest.mark.long
@pytest.mark.parametrize("master", MASTERS)
def test_operators_need_no_registration(tmp_path: Path, master: str) -> None:
    printed = run(tmp_path, "spark-submit", *MASTERS[master], *KRYO, *SWITCHED_ON, PROGRAM)
    found = [line for line in printed.splitlines() if "taken" in line]
    assert found == [f"{name}: taken True, same True" for name in QUERIES]


@pytest.mark.long
def test_classes_need_registration(tmp_path: Path) -> None:
    """The settings of the test above are in force."""
    program = tmp_path / "unregistered.py"
    program.write_text(UNREGISTERED)
    assert "refused: True" in run(tmp_path, "spark-submit", *MASTERS["one process"], *KRYO, *SWITCHED_ON, str(program))
