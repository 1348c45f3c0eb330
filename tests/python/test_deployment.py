"""The jar brought in by Spark's own launchers, as an operator of a cluster would."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.find_spark_home import _find_spark_home

import slidewise

BIN = Path(_find_spark_home()) / "bin"
WITH_JAR = ["--jars", slidewise.jar_path(), "--conf", "spark.ui.enabled=false"]
WITH_EXTENSION = [*WITH_JAR, "--conf", "spark.sql.extensions=org.slidewise.spark.SlidewiseExtensions"]
WINDOW = "sum(id) OVER (ORDER BY id ROWS 2 PRECEDING)"


@pytest.fixture
def launch(tmp_path: Path):
    def run(name: str, *arguments: str, stdin: str = "") -> str:
        env = {k: v for k, v in os.environ.items() if k not in ("PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY_PORT")}
        done = subprocess.run(
            [str(BIN / name), *arguments],
            env={**env, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
            input=stdin,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=400,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize("options", [WITH_EXTENSION, WITH_JAR], ids=["jar and setting", "jar alone"])
def test_spark_sql(launch, options):
    seen = launch("spark-sql", "--master", "local[1]", *options, "-e", f"EXPLAIN SELECT {WINDOW} FROM range(5)")
    assert "SlidingWindow [" in seen


def test_a_scala_program_in_spark_shell(launch):
    program = f"""
        val df = spark.sql("SELECT {WINDOW} AS s FROM range(5)")
        println("sums: " + df.collect().map(_.getLong(0)).mkString(" "))
        println("report: " + org.slidewise.spark.Slidewise.explainJson(df))
        println("core: " + classOf[org.slidewise.core.Aggregator[_, _, _]].getSimpleName)
    """
    seen = launch("spark-shell", "--master", "local[1]", *WITH_EXTENSION, stdin=program)
    assert "sums: 0 1 3 6 9" in seen
    assert '"slidewise":true' in seen
    assert "core: Aggregator" in seen


def test_spark_submit_to_executors_in_processes_of_their_own(launch, tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text("""
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
df = spark.sql("SELECT id, sum(id) OVER (PARTITION BY id % 4 ORDER BY id ROWS 1 PRECEDING) AS s FROM range(40)")
print("operator:", "SlidingWindow [" in df._jdf.queryExecution().toString())
print("sums:", [row.s for row in df.orderBy("id").limit(6).collect()])
""")
    seen = launch("spark-submit", "--master", "local-cluster[2,1,1024]", *WITH_EXTENSION, str(program))
    assert "operator: True" in seen
    assert "sums: [0, 1, 2, 3, 4, 6]" in seen


def test_a_connect_server_of_its_own(output, tmp_path: Path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [
            str(BIN / "spark-submit"),
            *("--master", "local[1]", "--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
            *WITH_EXTENSION,
            *("--conf", f"spark.connect.grpc.binding.port={port}"),
        ],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, server)
        seen = output(f"""
            import slidewise
            from pyspark.sql import SparkSession
            spark = slidewise.configure(SparkSession.builder.remote("sc://127.0.0.1:{port}")).getOrCreate()
            print(slidewise.install(spark))
            df = spark.sql("SELECT {WINDOW} AS s FROM range(5)")
            print([row.s for row in df.collect()], [row.slidewise for row in slidewise.explain(df).collect()])
        """)
    finally:
        server.terminate()
        server.wait(60)
    assert seen.splitlines() == ["False", "[0, 1, 3, 6, 9] [True]"]


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert server.poll() is None, "the server ended before it took a connection"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise TimeoutError(f"the server took no connection on port {port} in two minutes")
