"""Spark's SQL files, and what Spark expects of them, without queries that cannot have Spark's result."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

_QUERY = "-- !query\n"
_END_OF_QUERY = re.compile(r"\n-- !query (?:schema|analysis)\n")


class Cut(NamedTuple):
    """The queries of `file`, as `window.sql`, whose text or expected result matches, for example an error class."""

    file: str
    pattern: str
    reason: str

    def cut_from(self, tests: Path) -> int:
        """Cuts the queries out of the folder `sql-tests`. Gives back how many there were: none without the file.

        Raises:
            ValueError: the file has no such query, or not as expected.
        """
        file = tests / "inputs" / self.file
        if not file.is_file():
            return 0
        expected = [tests / kind / f"{self.file}.out" for kind in ("results", "analyzer-results")]
        cut = [self._cut_expected(path) for path in expected]
        text = file.read_text()
        for query, times in Counter(cut[0]).items():
            if text.count(f"{query};") != times:
                raise ValueError(f"{self.file} has this query {text.count(query)} times, not {times}: {query}")
            text = text.replace(f"{query};", "")
        if not cut[0] or cut[0] != cut[1]:
            raise ValueError(
                f"{self.file}: {len(cut[0])} results and {len(cut[1])} analyzer-results match {self.pattern}"
            )
        file.write_text(text)
        return len(cut[0])

    def _cut_expected(self, path: Path) -> list[str]:
        head, *blocks = path.read_text().split(_QUERY)
        found = [block for block in blocks if re.search(self.pattern, block)]
        path.write_text(_QUERY.join([head, *(block for block in blocks if block not in found)]))
        return [_END_OF_QUERY.split(block)[0] for block in found]
