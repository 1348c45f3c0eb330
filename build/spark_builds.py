"""The jars that this checkout builds, as project/SparkBuild.scala lists them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class SparkBuild(NamedTuple):
    """One jar: its Spark minor and Scala version, and the Spark releases that it is tested on."""

    minor: str
    scala: str
    tested: list[str]

    @property
    def of_pyspark(self) -> bool:
        """Whether PySpark on PyPI has the jars of this Scala version."""
        return self.scala == ("2.12" if self.minor.startswith("3.") else "2.13")

    @property
    def sparks(self) -> list[str]:
        """The releases, as `spark_venvs` knows them: `3.5.8` is PySpark's, `3.5.8-scala2.13` has this Scala's jars."""
        return [release if self.of_pyspark else f"{release}-scala{self.scala}" for release in self.tested]

    def jar(self, version: str) -> str:
        return f"slidewise-spark-{self.minor}_{self.scala}-{version}.jar"


_NAMED = {"pyspark.minor": r'FromPyspark\("([\d.]+)"\)', "Versions.scala": r'val scala = "([\d.]+)"'}
_ROW = re.compile(r'SparkBuild\("?([\w.]+)"?, "?([\w.]+)"?, "\d+", Seq\(([^)]*)\)')


def spark_builds() -> list[SparkBuild]:
    """All of them, in the order of their Spark minors.

    >>> [f"{build.minor}_{build.scala}" for build in spark_builds()]
    ['3.5_2.12', '3.5_2.13', '4.0_2.13', '4.1_2.13', '4.2_2.13', '4.3_2.13']
    """
    text = "\n".join((ROOT / "project" / name).read_text() for name in ("SparkBuild.scala", "Versions.scala"))

    def value(word: str) -> str:
        match = re.search(_NAMED[word], text) if word in _NAMED else None
        return match[1] if match else word

    builds = [
        SparkBuild(value(minor), ".".join(value(scala).split(".")[:2]), re.findall(r'"([\d.]+)"', tested))
        for minor, scala, tested in _ROW.findall(text)
    ]
    return sorted(builds, key=lambda build: [*map(int, build.minor.split(".")), build.scala])
