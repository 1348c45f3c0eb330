"""Spark's own commands, run as a user runs them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyspark
from session import EXTENSIONS, slidewise_jar

HOME = Path(pyspark.__file__).parent
JARS = ("--jars", str(slidewise_jar()))
SWITCHED_ON = (*JARS, "--conf", f"spark.sql.extensions={EXTENSIONS}")


def environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE")}
    return kept | {
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        # A shell that reads a pipe defines `spark` only if it is told to be interactive.
        "PYSPARK_DRIVER_PYTHON_OPTS": "-i",
        "SPARK_DAEMON_MEMORY": "512m",
    }


def settings(folder: Path) -> tuple[str, ...]:
    """Keeps what a run writes in its folder, and the run small."""
    pairs = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "768m",
        # As SPARK_SUBMIT_OPTS of conftest.py.
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "3",
        "spark.unsafe.exceptionOnMemoryLeak": "true",
        "spark.log.level": "WARN",
    }
    return tuple(word for key, value in pairs.items() for word in ("--conf", f"{key}={value}"))


def finished(
    folder: Path,
    *command: str,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    timeout: float = 300,
) -> subprocess.CompletedProcess[str]:
    """A program that ran in the folder, and succeeded."""
    done = subprocess.run(
        command,
        env=environment() if env is None else env,
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done


def run(folder: Path, command: str, *arguments: str, stdin: str | None = None, log: bool = False) -> str:
    """What the command prints, with its log if asked for; it must succeed."""
    done = finished(folder, str(HOME / "bin" / command), *settings(folder), *arguments, stdin=stdin)
    return done.stdout + (done.stderr if log else "")


@contextmanager
def running(folder: Path, name: str, *command: str) -> Iterator[None]:
    """A daemon that is stopped at the end; what it says is in `<name>.log`."""
    with (folder / f"{name}.log").open("w") as log:
        process = subprocess.Popen(
            [str(HOME / "bin" / command[0]), *command[1:]],
            env=environment(),
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
