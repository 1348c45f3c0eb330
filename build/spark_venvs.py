"""A virtual environment for a Spark version, `.venv-<version>`, with the wheel of `make wheel` installed.

A version such as `3.5.8-scala2.13` is PySpark 3.5.8 with Spark's jars for this Scala version, from Maven Central. These
are the jars that `spark-sql` needs: no Hive, and no Scala or SQL shell.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from spark_builds import ROOT

_REQUIREMENTS = ROOT / "python/requirements-dev.txt"
_POM = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.slidewise</groupId>
  <artifactId>spark</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.spark</groupId>
      <artifactId>spark-sql_{scala}</artifactId>
      <version>{release}</version>
    </dependency>
  </dependencies>
</project>
"""
_NOT_INSTALLED = ("pyspark", "hatchling", "mypy", "ruff")


def requirements(version: str) -> list[str]:
    """The pinned packages that the tests need, with this PySpark."""
    version = version.split("-")[0]
    lines = [line.strip() for line in _REQUIREMENTS.read_text().splitlines()]
    pinned = [line for line in lines if line and not line.startswith("#")]
    return [f"pyspark=={version}", *(line for line in pinned if line.split("==")[0] not in _NOT_INSTALLED)]


def environment(version: str, python: str = sys.executable) -> Path:
    """The Python of the version's virtual environment, which is made if it is not there."""
    venv = ROOT / f".venv-{version}"
    own, stamp = venv / "bin/python", venv / "requirements.txt"
    wanted = "\n".join(requirements(version)) + "\n"
    if not stamp.is_file() or stamp.read_text() != wanted:
        subprocess.run([python, "-m", "venv", "--clear", str(venv)], check=True)
        install(own, *requirements(version))
        if "-scala" in version:
            replace_jars(venv, *version.split("-scala"))
        stamp.write_text(wanted)
    install(own, "--no-deps", "--force-reinstall", str(wheel()))
    return own


def replace_jars(venv: Path, release: str, scala: str) -> None:
    """Puts the jars of another Scala version in the place of PySpark's own."""
    (jars,) = venv.glob("lib/python*/site-packages/pyspark/jars")
    shutil.rmtree(jars)
    with tempfile.TemporaryDirectory() as folder:
        pom = Path(folder) / "pom.xml"
        pom.write_text(_POM.format(release=release, scala=scala))
        goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={jars}"]
        subprocess.run(["mvn", "-q", "-B", "-f", str(pom), *goal], check=True)


def wheel() -> Path:
    """The one of `make wheel`."""
    wheels = list((ROOT / "python/dist").glob("*.whl"))
    if len(wheels) != 1:
        raise FileNotFoundError(f"{ROOT / 'python/dist'} holds {len(wheels)} wheels, not one: run `make wheel`")
    return wheels[0]


def install(python: Path, *arguments: str) -> None:
    command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)
