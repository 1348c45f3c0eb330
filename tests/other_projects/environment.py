"""A Python with a release of PySpark, and another project's tests run in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

sys.path.append(str(Path(__file__).resolve().parents[2] / "build"))
from planned_operators import EXTENSIONS, PROPERTY, compile_into, counted
from spark_builds import ROOT, spark_builds

HERE = Path(__file__).resolve().parent
_VERSION = ROOT / "python/src/slidewise/VERSION"


class Run(NamedTuple):
    """What each test came to, by its name, and how often each operator was planned."""

    results: dict[str, str]
    planned: dict[str, int]


class Environment:
    """A virtual environment for a suite on a release of Spark, made when it is missing.

    Raises:
        FileNotFoundError: `make jars` has not built the jar of the release's minor.
        subprocess.CalledProcessError: pip found no such release or package.
    """

    def __init__(self, suite: str, spark: str, packages: list[str]) -> None:
        self._folder = ROOT / ".build/other-projects" / f"{suite}-{spark}"
        self._python = self._folder / "bin/python"
        if not (self._folder / "installed").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", self._folder], check=True)
            pip = [self._python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            subprocess.run([*pip, f"pyspark=={spark}", "setuptools", *packages], check=True)
            (self._folder / "installed").touch()
        self._jars = next(self._folder.glob("lib/*/site-packages/pyspark/jars"))
        self._classes = self._folder / "classes"
        compile_into(self._classes, self._jars)
        self._jar = ROOT / "python/src/slidewise/jars" / _jar(spark)
        if not self._jar.is_file():
            raise FileNotFoundError(f"{self._jar.name} is not built: run `make jars`")

    def add_tests(self, package: Path) -> None:
        """Copies a package's folders `tests`, which its wheel lacks, into the installed one of the same name."""
        installed = self._jars.parents[1] / package.name
        for tests in package.rglob("tests"):
            shutil.copytree(tests, installed / tests.relative_to(package), dirs_exist_ok=True)

    def pytest(self, source: Path, arguments: list[str], *, slidewise: bool) -> Run:
        """Runs pytest in the folder `source`. Its output is in the environment's folder.

        Raises:
            RuntimeError: pytest ran no tests, or was interrupted.
        """
        name = "with" if slidewise else "alone"
        conf, report, planned = (self._folder / f"{name}-{kind}" for kind in ("conf", "report.xml", "planned"))
        conf.mkdir(exist_ok=True)
        for old in (report, planned):
            old.unlink(missing_ok=True)
        settings = {"spark.ui.enabled": "false", "spark.master": "local[2]", "spark.sql.shuffle.partitions": "2"}
        variables = {
            "SPARK_CONF_DIR": str(conf),
            "JDK_JAVA_OPTIONS": f"-D{PROPERTY}={planned}",
            "PYSPARK_PYTHON": str(self._python),
        }
        plugin = []
        if slidewise:
            settings["spark.driver.extraClassPath"] = f"{self._classes}:{self._jar}"
            settings["spark.sql.extensions"] = EXTENSIONS
            variables |= {"KEPT_EXTENSIONS": EXTENSIONS, "PYTHONPATH": str(HERE)}
            plugin = ["-p", "kept_extensions"]
        (conf / "spark-defaults.conf").write_text("".join(f"{key} {value}\n" for key, value in settings.items()))
        command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, f"--junitxml={report}", *arguments]
        ended = self._call(command, source, variables, name)
        if ended not in (0, 1):
            raise RuntimeError(f"pytest exited with {ended}: see {self._folder / name}.log")
        return Run(_reported(report), _counted_at_end(planned) if slidewise else {})

    def sql_logic(self, dialect: str, suffix: str, source: Path, only: str) -> Run:
        """Runs the queries with windows of the files in the folder `source`, each with Slidewise and without."""
        report = self._folder / "report.json"
        report.unlink(missing_ok=True)
        paths = {"PYTHONPATH": f"{ROOT / 'python/src'}:{HERE.parent}"}
        if self._call([HERE / "sql_logic.py", dialect, suffix, source, only, report], source, paths, "queries"):
            raise RuntimeError(f"the queries did not come to their end: see {self._folder}/queries.log")
        return Run(**json.loads(report.read_text()))

    def _call(self, command: list[str | Path], folder: Path, variables: dict[str, str], name: str) -> int:
        """The exit code of Python."""
        kept = {key: value for key, value in os.environ.items() if key not in ("SPARK_HOME", "PYTHONPATH")}
        with (self._folder / f"{name}.log").open("w") as log:
            return subprocess.run(
                [self._python, *command],
                cwd=folder,
                env=kept | {"SPARK_LOCAL_IP": "127.0.0.1"} | variables,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            ).returncode


def _jar(spark: str) -> str:
    minor = spark.rsplit(".", 1)[0]
    (build,) = (build for build in spark_builds() if build.minor == minor and build.of_pyspark)
    return build.jar(_VERSION.read_text().strip())


def _reported(report: Path) -> dict[str, str]:
    """`passed`, `failed` or `skipped` for each test. pytest reports an expected failure as skipped."""
    found: dict[str, str] = {}
    times: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        times[name] += 1
        # Reports of installed packages lack the module, so that two classes may have one name.
        found[name if times[name] == 1 else f"{name} #{times[name]}"] = _result(case)
    return found


def _result(case: ElementTree.Element) -> str:
    tags = {child.tag for child in case}
    return "failed" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "passed"


def _counted_at_end(planned: Path) -> dict[str, int]:
    """The JVM writes the file when it ends, which may be after pytest has ended."""
    deadline = time.monotonic() + 60
    while not planned.exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    return counted(planned)
