"""Spark Connect: a server of one's own, and one that the client starts."""

from __future__ import annotations

import socket
import sys
import time
from pathlib import Path

import pyspark
import pytest
from maven import jar_of
from session import EXTENSIONS, slidewise_jar
from sparks import SPARK, needs_connect_server

from deployment.commands import environment, finished, free_port, running, settings
from deployment.expected import REPORT

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
HERE = str(Path(__file__).parent)

HOPPING = """
from pyspark.sql import functions as F
events = spark.range(600).select((F.col("id") % 3).alias("k"), F.timestamp_seconds(F.col("id") * 7).alias("t"))
counted = events.groupBy("k", F.window("t", "10 minutes", "1 minute")).count()
rows = counted.selectExpr("k", "unix_seconds(window.start) AS start", "count").orderBy("k", "start")
print("hopping", "HoppingWindow " in counted._explain_string(), [tuple(row) for row in rows.collect()])
"""


DISTINCT = """
from pyspark.sql import Window
last = Window.orderBy("id").rowsBetween(-3, 0)
numbers = spark.range(6).select("id", (F.col("id") % 3).alias("k"))
counted = numbers.select(F.count_distinct("k").over(last).alias("n"), F.median("id").over(last).alias("m")).orderBy("m")
print("distinct", "SlidingWindow" in counted._explain_string(), [tuple(row) for row in counted.collect()])
others = ["percentile(id, array(0.25, 0.5))", "percentile_cont(0.5) WITHIN GROUP (ORDER BY id DESC)", "mode(k)",
  "percentile_disc(0.9) WITHIN GROUP (ORDER BY id)", "percentile_approx(id, 0.5)", "sum(DISTINCT k)"]
over = "OVER (ORDER BY id ROWS 3 PRECEDING)"
quantiles = numbers.where("id = 2 OR id = 4").selectExpr("id", *(f"{call} {over}" for call in others)).orderBy("id")
print("quantiles", "SlidingWindow" in quantiles._explain_string(), *map(tuple, quantiles.collect()))
"""

IN_PYTHON = """
import slidewise
from pyspark.sql.types import LongType, StructField, StructType
class Sum(slidewise.Aggregator):
    bufferSchema = StructType([StructField("sum", LongType())])
    outputType = LongType()
    def zero(self):
        return (0,)
    def reduce(self, buffer, value):
        return (buffer[0] + value[0],)
    def merge(self, older, newer):
        return (older[0] + newer[0],)
    def finish(self, buffer):
        return buffer[0]
moving = spark.range(6).select(slidewise.udaf(Sum())("id").over(last).alias("s"))
slidewise.register(spark, "sum_in_python", Sum())
by_key = spark.sql("SELECT sum_in_python(id) AS s FROM range(6) GROUP BY id % 2 ORDER BY s")
sums = [row.s for row in [*moving.collect(), *by_key.collect()]]
print("in Python", "PythonSlidingWindow" in moving._explain_string(), sums)
"""

REFRESH = """
spark.conf.set("spark.sql.catalog.slidewise", "org.slidewise.spark.SlidewiseCatalog")
spark.conf.set("spark.slidewise.refresh.maxShare", "1")
query = "SELECT id, p, sum(id) OVER (PARTITION BY p ORDER BY id) AS s FROM numbers"
def numbers(rows):
    spark.sql(f"SELECT id, id % 2 AS p FROM range({rows})").createOrReplaceTempView("numbers")
numbers(9)
spark.sql(query).write.partitionBy("p").saveAsTable("sums")
numbers(12)
called = f"CALL slidewise.refresh(query => '{query}', target => 'sums', keys => array('id'), " \
    "changes => 'SELECT * FROM numbers WHERE id >= 9')"
print("refreshed", [tuple(spark.sql(called).head()) for _ in range(2)], spark.table("sums").count())
"""

EXPLAINED = r"""
stream = spark.readStream.format("rate").load().withWatermark("timestamp", "1 minute")
over = "count(*) OVER (PARTITION BY value ORDER BY timestamp ROWS 9 PRECEDING) AS n"
print("explained", [row.slidewise for row in slidewise.explain(stream.selectExpr(over)).collect()])
provider = "org.slidewise.spark.SlidewiseExplain"
spark.conf.set("spark.sql.extendedExplainProviders", f"{provider} , {provider}")
odd = spark.range(9).selectExpr("sum(id) OVER (PARTITION BY 'a\\u2028b' ORDER BY id ROWS 2 PRECEDING) AS s")
print("explained", len(slidewise.explain(odd).collect()))
spark.conf.unset("spark.sql.extendedExplainProviders")
"""


def wait_for_port(port: int, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.5)


def client(folder: Path, program: str) -> str:
    found = environment() | {"PYTHONPATH": str(Path(HERE).parent)}
    return finished(folder, sys.executable, "-c", program, env=found).stdout


def jars() -> str:
    """Slidewise's, and that of the server, which PySpark has since 4.0."""
    own = [slidewise_jar()]
    if SPARK < (4, 0):
        own.append(jar_of("org.apache.spark", "spark-connect_2.12", pyspark.__version__))
    return ",".join(map(str, own))


def test_a_server_that_was_started_with_the_jar(tmp_path: Path) -> None:
    port = free_port()
    switched_on = ("--jars", jars(), "--conf", f"spark.sql.extensions={EXTENSIONS}")
    command = ("spark-submit", "--master", "local[2]", *settings(tmp_path), *switched_on, "--class", SERVER)
    at = ("--conf", f"spark.connect.grpc.binding.port={port}", "spark-internal")
    with running(tmp_path, "server", *command, *at):
        wait_for_port(port)
        printed = client(
            tmp_path,
            f"""
from pyspark.sql import SparkSession
from deployment.program import report
spark = SparkSession.builder.remote("sc://127.0.0.1:{port}").getOrCreate()
print(type(spark).__module__, report(spark))
{HOPPING}
{DISTINCT}
{IN_PYTHON}
{REFRESH + EXPLAINED if SPARK >= (4, 0) else ""}
spark.conf.set("spark.slidewise.enabled", "false")
print("switched off:", report(spark))
{HOPPING}
""",
        )
    windows = [line.split(maxsplit=2)[1:] for line in printed.splitlines() if line.startswith("hopping")]
    assert [ours for ours, _ in windows] == ["True", "False"]
    assert windows[0][1] == windows[1][1] != "[]"
    assert "quantiles True (2, [2.0, 2.0], 2.0, 2, 2.0, 2, 2) (4, [2.5, 3.0], 3.0, 1, 4.0, 2, 3)" in printed
    assert "distinct True [(1, 0.0), (2, 0.5), (3, 1.0), (3, 1.5), (3, 2.5), (3, 3.5)]" in printed
    assert "in Python True [0, 1, 3, 6, 10, 14, 6, 9]" in printed
    if SPARK >= (4, 0):
        assert "refreshed [(False, 3, 0, 0), (False, 0, 0, 0)] 12" in printed
        assert printed.count("explained [True]") == 1
        assert printed.count("explained 2") == 1  # the provider is named twice
    assert f"pyspark.sql.connect.session {REPORT}" in printed
    assert f"switched off: {REPORT.replace('SlidingWindow 1', 'SlidingWindow 0')}" in printed


# tests/python/test_session.py has a shorter case of it.
@needs_connect_server
@pytest.mark.long
def test_a_server_that_the_client_starts(tmp_path: Path) -> None:
    printed = client(
        tmp_path,
        """
from pyspark.sql import SparkSession
from deployment.program import report
from session import with_slidewise
spark = with_slidewise(SparkSession.builder.remote("local[2]").config("spark.driver.memory", "768m")).getOrCreate()
print(type(spark).__module__, report(spark))
""",
    )
    assert f"pyspark.sql.connect.session {REPORT}" in printed
