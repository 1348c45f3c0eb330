"""Jars from Maven Central, which a test fetches once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from sparks import SPARK

# What Maven says when it cannot reach a registry.
_UNREACHABLE = ("Unknown host", "Could not transfer", "Connection refused", "timed out", "Network is unreachable")


def description_in(folder: Path) -> Path:
    """The POM for the Spark that runs; there may be none."""
    return folder / f"{'.'.join(map(str, SPARK))}.xml"


def needs_description(folder: Path, what: str) -> pytest.MarkDecorator:
    """Skips where no POM names `what` for the Spark that runs."""
    minor = description_in(folder).stem
    return pytest.mark.skipif(
        not description_in(folder).is_file(), reason=f"no {what} for Spark {minor} among the tests"
    )


def jars_of(description: Path) -> Path:
    """The folder of the jars that a POM depends on; the test is skipped if no registry can be reached."""
    folder = Path(__file__).parents[1] / ".build" / description.parent.name / description.stem
    stamp = folder / "stamp"
    if not stamp.exists() or stamp.read_text() != description.read_text():
        shutil.rmtree(folder, ignore_errors=True)
        goal = ("dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={folder}")
        mvn = ["mvn", "-q", "-B", "-f", str(description), *goal]
        done = subprocess.run(mvn, capture_output=True, text=True, check=False, cwd=description.parent)
        said = done.stdout + done.stderr
        if done.returncode and any(words in said for words in _UNREACHABLE):
            pytest.skip(f"Maven Central cannot be reached for {description.name}: {said[:300]}")
        assert done.returncode == 0, said[:3000]
        stamp.write_text(description.read_text())
    return folder


def jar_of(group: str, name: str, version: str) -> Path:
    """One jar, without what it depends on; the test is skipped if the registry lacks it, or cannot be reached."""
    folder = Path(__file__).parents[1] / ".build" / "jars-of-tests"
    jar = folder / f"{name}-{version}.jar"
    if not jar.is_file():
        goal = ("dependency:copy", f"-Dartifact={group}:{name}:{version}", f"-DoutputDirectory={folder}")
        done = subprocess.run(["mvn", "-q", "-B", *goal], capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        if done.returncode and any(words in said for words in (*_UNREACHABLE, "Could not find artifact")):
            pytest.skip(f"no {jar.name}: {said[:300]}")
        assert done.returncode == 0, said[:3000]
    return jar
