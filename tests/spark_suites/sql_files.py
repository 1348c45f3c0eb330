"""Spark's SQL files, and what Spark expects of them, without the queries that Spark refuses and Slidewise answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_QUERY = "-- !query\n"
_END_OF_QUERY = re.compile(r"\n-- !query (?:schema|analysis)\n")


class Answered(NamedTuple):
    """The queries of `file`, as `window.sql`, of which Spark expects the error class `error`."""

    file: str
    error: str
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
        for query in cut[0]:
            if text.count(f"{query};") != 1:
                raise ValueError(f"{self.file} has this query {text.count(query)} times, not once: {query}")
            text = text.replace(f"{query};", "")
        if not cut[0] or cut[0] != cut[1]:
            raise ValueError(f"{self.file}: {len(cut[0])} results and {len(cut[1])} analyzer-results have {self.error}")
        file.write_text(text)
        return len(cut[0])

    def _cut_expected(self, path: Path) -> list[str]:
        head, *blocks = path.read_text().split(_QUERY)
        refused = [block for block in blocks if f'"{self.error}"' in block]
        path.write_text(_QUERY.join([head, *(block for block in blocks if block not in refused)]))
        return [_END_OF_QUERY.split(block)[0] for block in refused]
