"""A disk that is too small for the spilled rows: the query fails as Spark's does, and nothing is left."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
from session import with_slidewise
from robustness.spills import files_left

folder = sys.argv[1]
spark = with_slidewise(
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.local.dir", folder)
    .config("spark.sql.warehouse.dir", folder + "/warehouse")
    .config("spark.driver.memory", "512m")
    .config("spark.sql.adaptive.enabled", "false")
    .config("spark.unsafe.exceptionOnMemoryLeak", "true")
).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
over = "OVER (ORDER BY x, id ROWS BETWEEN 1000000 PRECEDING AND CURRENT ROW)"
rows = "(SELECT id, id * 48271 % 1000003 AS x, concat('row ', id, repeat('x', 60)) AS s FROM range(0, 3000000, 1, 1))"
try:
    windows = spark.sql(f"SELECT max(s) {over} AS m, count(*) {over} AS n FROM {rows}")
    windows.write.format("noop").mode("overwrite").save()
    print("answered")
except Exception as error:
    print("No space left on device" in str(error))
print(files_left(spark))
print(spark.sql("SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) AS s FROM range(3)").collect()[2].s)
"""


@pytest.fixture
def little_disk(tmp_path: Path) -> Iterator[Path]:
    """40 MB."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(tmp_path)]
    done = subprocess.run(mount, check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"a small file system needs the right to mount: {done.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


@pytest.mark.long
def test_a_disk_that_is_full(little_disk: Path) -> None:
    tests = Path(__file__).resolve().parents[1]
    command = [sys.executable, "-c", PROGRAM, str(little_disk)]
    done = subprocess.run(command, cwd=tests, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["True", "[]", "3"], done.stdout + done.stderr[-3000:]
