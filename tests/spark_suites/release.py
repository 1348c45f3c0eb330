"""One Spark release: its jars and test jars, and a JVM for each suite."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from zipfile import ZipFile

from catalogue import HERE, PACKAGE
from sql_files import Cut

sys.path.append(str(Path(__file__).resolve().parents[2] / "build"))
from planned_operators import EXTENSIONS, PROPERTY, compile_into, counted
from spark_builds import ROOT, spark_builds

_VERSION = ROOT / "python/src/slidewise/VERSION"
# The test libraries that each major version of Spark was compiled with; see its parent POM.
LIBRARIES = {
    "3": {"scala": "2.12", "scalatest": "3.2.16", "scalacheck": "1-17", "mockito": "4-11"},
    "4": {"scala": "2.13", "scalatest": "3.2.19", "scalacheck": "1-18", "mockito": "5-12"},
}
OPENED = (
    *("java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util"),
    *("java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs"),
    *("sun.security.action", "sun.util.calendar"),
)
# Most queries run once.
FEW_COMPILATIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:ReservedCodeCacheSize=240m")


class Run(NamedTuple):
    """What a JVM reported of a suite. `ended`: it came to its end."""

    passed: list[str]
    failed: list[str]
    ignored: int
    planned: dict[str, int]
    ended: bool


class Release:
    """A published Spark release with the jar of Slidewise for its minor.

    cut: how many queries were cut out of each of Spark's SQL files

    Raises:
        FileNotFoundError: `make jars` has not built that jar.
        subprocess.CalledProcessError: Maven found no such release.
    """

    def __init__(self, version: str, cuts: list[Cut]) -> None:
        self.version = version
        self._libraries = LIBRARIES[version.split(".")[0]]
        self._folder = ROOT / ".build/spark-suites" / version
        minor = ".".join(version.split(".")[:2])
        own = next(
            build.jar(_VERSION.read_text().strip())
            for build in spark_builds()
            if (build.minor, build.scala) == (minor, self._libraries["scala"])
        )
        self._jar = ROOT / "python/src/slidewise/jars" / own
        if not self._jar.is_file():
            raise FileNotFoundError(f"{own} is not built: run `make jars`")
        self._fetch()
        self.tests = self._lib / f"spark-sql_{self._libraries['scala']}-{version}-tests.jar"
        self._compile()
        self.cut = self._unpack(cuts)

    @property
    def _lib(self) -> Path:
        return self._folder / "lib"

    @property
    def _resources(self) -> Path:
        return self._folder / "home/sql/core/src/test/resources"

    def _fetch(self) -> None:
        stamp = self._folder / "fetched"
        if stamp.exists():
            return
        shutil.rmtree(self._folder, ignore_errors=True)
        values = [f"-D{name}={value}" for name, value in {"spark": self.version, **self._libraries}.items()]
        goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={self._lib}"]
        subprocess.run(["mvn", "-q", "-B", "-f", str(HERE / "suites.xml"), *goal, *values], check=True)
        stamp.touch()

    def _compile(self) -> None:
        """Compiles the counting extension."""
        classes = self._folder / "classes"
        compile_into(classes, self._lib)
        shutil.copy(HERE / "log4j2.properties", classes)

    def _unpack(self, cuts: list[Cut]) -> dict[str, int]:
        """Unpacks the files that the suites read, and cuts queries out of the SQL files."""
        shutil.rmtree(self._resources, ignore_errors=True)
        with ZipFile(self.tests) as jar:
            jar.extractall(self._resources, [name for name in jar.namelist() if not name.endswith(".class")])
        counts = {queries.file: queries.cut_from(self._resources / "sql-tests") for queries in cuts}
        return {file: count for file, count in counts.items() if count}

    def run(self, suite: str, tests: list[str], *, slidewise: bool) -> Run:
        """Runs the tests whose names contain one of `tests`, or all of them."""
        name = suite + ("" if slidewise else "-alone")
        reports, planned = self._folder / f"{name}-reports", self._folder / f"{name}-planned"
        shutil.rmtree(reports, ignore_errors=True)
        planned.unlink(missing_ok=True)
        home = self._folder / "home"
        options = {
            "spark.testing": "1",
            "spark.test.home": home,
            "spark.ui.enabled": "false",
            PROPERTY: planned,
            "java.io.tmpdir": self._emptied("tmp"),
        }
        if slidewise:
            options["spark.sql.extensions"] = EXTENSIONS
        path = [self._folder / "classes", self._resources, self._jar, f"{self._lib}/*"]
        chosen = [argument for test in tests for argument in ("-z", test)]
        java = [
            *("java", "-Xmx4g", "-Xss4m", "-ea", *FEW_COMPILATIONS, "-Djdk.reflect.useDirectMethodHandle=false"),
            "-Dio.netty.tryReflectionSetAccessible=true",
            *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED),
            *(f"-D{key}={value}" for key, value in options.items()),
            *("-cp", ":".join(map(str, path)), "org.scalatest.tools.Runner", "-R", str(self.tests), "-oW"),
            *("-u", str(reports), "-s", f"{PACKAGE}.{suite}", *chosen),
        ]
        kept = {key: value for key, value in os.environ.items() if key not in ("SPARK_HOME", "PYTHONPATH")}
        log = self._folder / f"{name}.log"
        with log.open("w") as output:
            subprocess.run(
                java, cwd=self._emptied("work"), stdout=output, stderr=subprocess.STDOUT, check=False, env=kept
            )
        written = log.read_text(errors="replace")
        return read(reports, planned, ended="Run completed" in written and "*** ABORTED ***" not in written)

    def _emptied(self, name: str) -> Path:
        folder = self._folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder


def read(reports: Path, planned: Path, *, ended: bool) -> Run:
    """The JUnit reports that ScalaTest wrote; a suite without one was aborted."""
    found = list(reports.glob("TEST-*.xml"))
    cases = [case for file in found for case in ElementTree.parse(file).iter("testcase")]

    def has(case: ElementTree.Element, *names: str) -> bool:
        return any(case.find(name) is not None for name in names)

    failed = [case.attrib["name"] for case in cases if has(case, "failure", "error")]
    ignored = [case for case in cases if has(case, "skipped")]
    passed = [case.attrib["name"] for case in cases if not has(case, "failure", "error", "skipped")]
    return Run(passed, failed, len(ignored), counted(planned), ended and bool(found))
