"""What the tests of the package share: Python programs of their own, each with its own JVM and environment."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

_SPARK_VARIABLES = ("PYSPARK_SUBMIT_ARGS", "SPARK_REMOTE", "SPARK_CONF_DIR", "PYSPARK_GATEWAY_PORT", "SPARK_HOME")

Program = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Runs Python code, or `python` with arguments, in a clean process in an empty folder."""

    def run(*arguments: str, env: dict[str, str] | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
        code = [textwrap.dedent(argument) for argument in arguments]
        clean = {name: value for name, value in os.environ.items() if name not in _SPARK_VARIABLES}
        return subprocess.run(
            [sys.executable, "-W", "ignore::FutureWarning", *(["-c", *code] if len(code) == 1 else arguments)],
            env={**clean, "SPARK_LOCAL_IP": "127.0.0.1", **(env or {})},
            input=stdin,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


@pytest.fixture
def output(program: Program) -> Callable[..., str]:
    """The same, for programs that must succeed: what they print."""

    def run(*arguments: str, env: dict[str, str] | None = None, stdin: str = "") -> str:
        done = program(*arguments, env=env, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
