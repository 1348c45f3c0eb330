"""Which of Spark's suites and tests run, and which cannot pass by design."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import tomllib
from sql_files import Cut

HERE = Path(__file__).resolve().parent
PACKAGE = "org.apache.spark.sql"
_COMMENT = re.compile(r"--.*")
_SQL_FILES = "sql-tests/inputs/"


class Excluded(NamedTuple):
    """A test that looks at Spark's own operator. `test` may end in `*`."""

    suite: str
    test: str
    reason: str

    def covers(self, suite: str, test: str) -> bool:
        named = test.startswith(self.test[:-1]) if self.test.endswith("*") else test == self.test
        return suite == self.suite and named


class Catalogue:
    """What `suites.toml` says.

    Raises:
        tomllib.TOMLDecodeError: the file is not TOML.
    """

    def __init__(self, file: Path = HERE / "suites.toml") -> None:
        text: dict[str, Any] = tomllib.loads(file.read_text())
        self.groups: dict[str, list[str]] = text["suites"]
        self._files: dict[str, str] = text["files"]
        self.excluded = [Excluded(**entry) for entry in text["excluded"]]
        self.cuts = [Cut(**entry) for entry in text["cut"]]

    def groups_in(self, tests: Path) -> dict[str, list[str]]:
        """The suites that a jar of tests holds, by group."""
        with ZipFile(tests) as jar:
            held = set(jar.namelist())

        def is_held(suite: str) -> bool:
            return f"{PACKAGE}.{suite}".replace(".", "/") + ".class" in held

        return {group: [suite for suite in suites if is_held(suite)] for group, suites in self.groups.items()}

    def files_of(self, suite: str, tests: Path) -> list[str]:
        """The SQL files that a suite is limited to, as `window.sql`; none for a suite that runs whole."""
        if suite not in self._files:
            return []
        pattern = re.compile(self._files[suite])
        with ZipFile(tests) as jar:
            names = [name for name in jar.namelist() if name.startswith(_SQL_FILES) and name.endswith(".sql")]
            texts = {name.removeprefix(_SQL_FILES): jar.read(name).decode() for name in names}
        return [name for name, text in texts.items() if pattern.search(_COMMENT.sub("", text))]

    def exclusion(self, suite: str, test: str) -> Excluded | None:
        return next((entry for entry in self.excluded if entry.covers(suite, test)), None)
