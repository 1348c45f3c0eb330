"""The files of a release: what the staging folder must hold, and where."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build"))
from spark_builds import SparkBuild, spark_builds  # noqa: E402

STAGING = ROOT / ".build/release"
MAVEN, PYTHON, SBOM = STAGING / "maven", STAGING / "python", STAGING / "sbom"
SUMS = STAGING / "SHA256SUMS"
# The checksums that Maven wants beside each of its files.
ALGORITHMS = ("md5", "sha1", "sha256", "sha512")
POM = {"m": "http://maven.apache.org/POM/4.0.0"}
VERSION = (ROOT / "python/src/slidewise/VERSION").read_text(encoding="utf-8").strip()


def builds() -> list[SparkBuild]:
    """The jars of all Spark minors, or of those in SLIDEWISE_MINORS."""
    chosen = os.environ.get("SLIDEWISE_MINORS", "").split(",")
    return [build for build in spark_builds() if chosen == [""] or build.minor in chosen]


def modules() -> list[str]:
    """The Maven artifacts of `builds`, with their Scala versions."""
    cores = sorted({f"slidewise-core_{build.scala}" for build in builds()})
    return cores + [f"slidewise-spark-{build.minor}_{build.scala}" for build in builds()]


def maven_files(module: str) -> list[Path]:
    """What Maven Central asks for: the jar, its sources and documentation, and the POM."""
    folder = MAVEN / "org/slidewise" / module / VERSION
    return [folder / f"{module}-{VERSION}{end}" for end in (".jar", "-sources.jar", "-javadoc.jar", ".pom")]


def all_maven_files() -> list[Path]:
    return [file for module in modules() for file in maven_files(module)]


def python_files() -> list[Path]:
    return [PYTHON / f"slidewise-{VERSION}-py3-none-any.whl", PYTHON / f"slidewise-{VERSION}.tar.gz"]


def sboms() -> list[Path]:
    return [SBOM / f"slidewise-{VERSION}-{of}.cdx.json" for of in ("jars", "python")]


def artifacts() -> list[Path]:
    """Each file of the release, without checksums and signatures."""
    return all_maven_files() + python_files() + sboms()


def digest(file: Path, algorithm: str) -> str:
    return hashlib.new(algorithm, file.read_bytes()).hexdigest()


def missing(files: list[Path]) -> list[str]:
    return [str(file.relative_to(STAGING)) for file in files if not file.is_file()]
