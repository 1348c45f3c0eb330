"""Programs of users, compiled by the Scala compiler that Spark's own shell has."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyspark
from class_archive import FAST


def compiled(source: Path, folder: Path) -> Path:
    """A jar in `folder`."""
    jar = folder / f"{source.stem}.jar"
    classpath = Path(pyspark.__file__).parent / "jars" / "*"
    compiler = ["java", *FAST.split(), "-cp", str(classpath), "scala.tools.nsc.Main", "-usejavacp"]
    subprocess.run([*compiler, "-d", str(jar), str(source)], check=True, timeout=300)
    return jar
