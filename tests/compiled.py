"""Programs of users, compiled by the Scala compiler that Spark's own shell has."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyspark


def compiled(source: Path, folder: Path) -> Path:
    """A jar in `folder`."""
    jar = folder / f"{source.stem}.jar"
    classpath = Path(pyspark.__file__).parent / "jars" / "*"
    subprocess.run(
        ["java", "-cp", str(classpath), "scala.tools.nsc.Main", "-usejavacp", "-d", str(jar), str(source)],
        check=True,
        timeout=300,
    )
    return jar
