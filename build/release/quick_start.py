"""Runs the quick start with the staged files of a release, in a fresh environment for each Spark minor.

The wheel runs all examples of the page, and the jar its first window, in a session without the Python package. Both
must print what the page shows. Exits with 1 if one does not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import page_examples
from spark_builds import ROOT, SparkBuild
from spark_venvs import install, replace_jars
from staging import VERSION, builds, maven_files, python_files

PAGE = ROOT / "docs/quick-start.md"
JAR_SESSION = """
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master("local[*]").config("spark.jars", {jar!r})
    .config("spark.sql.extensions", "org.slidewise.spark.SlidewiseExtensions").getOrCreate())
"""
IS_PLANNED = "assert 'SlidingWindow' in df._jdf.queryExecution().executedPlan().toString()"
# A user's settings must not lead to another Spark or session.
FOREIGN = ("SPARK_HOME", "SPARK_CONF_DIR", "SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS", "PYTHONPATH")


def differences(python: Path, code: str, shown: list[str | None]) -> str:
    """What the program prints that the page does not show, or its error; empty if there is none."""
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    environment |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": str(python)}
    with tempfile.TemporaryDirectory() as folder:
        command = [str(python), "-c", code]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr[-2000:]
    printed = [f"{lines.rstrip()}\n" for lines in page_examples.printed(done.stdout)]
    return "".join(
        f"printed:\n{lines}the page shows:\n{wanted}"
        for lines, wanted in zip(printed, shown, strict=False)
        if wanted is not None and lines != wanted
    )


def failures(build: SparkBuild, folder: Path) -> dict[str, str]:
    """What fails with the wheel, and with the jar alone, in a new environment in the folder."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin/python"
    release = build.tested[-1]
    install(python, f"pyspark=={release}", "setuptools")
    if not build.of_pyspark:
        replace_jars(folder, release, build.scala)
    examples = page_examples.examples(PAGE.read_text(encoding="utf-8"))
    windows = [example for example in examples if "spark.sql(" in example["code"]]
    (jar, *_) = maven_files(f"slidewise-spark-{build.minor}_{build.scala}")
    session = JAR_SESSION.format(jar=str(jar))
    alone = f"{session}{page_examples.program(windows[:1], IS_PLANNED)}"
    with_jar = differences(python, alone, [windows[0]["shown"]])
    (wheel, _) = python_files()
    install(python, str(wheel))
    with_wheel = differences(python, page_examples.program(examples), [each["shown"] for each in examples])
    return {"wheel": with_wheel, "jar": with_jar}


def main() -> int:
    failed = False
    for build in builds():
        with tempfile.TemporaryDirectory() as folder:
            found = failures(build, Path(folder))
        for what, error in found.items():
            failed |= error != ""
            name = f"Slidewise {VERSION}, Spark {build.tested[-1]}, Scala {build.scala}, {what}"
            print(f"{name}: {f'FAILED{os.linesep}{error}' if error else 'passed'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
