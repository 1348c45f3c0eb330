"""Makes a failing query smaller while it fails in the same way.

Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002), one
list of the query at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Part:
    """A list that a query has, such as its rows, and the query with another list in its place."""

    of: Callable[[Any], Sequence[Any]]
    having: Callable[[Any, Sequence[Any]], Any]


class Shrinker:
    """Asks `failure` what a query fails with, which is None for one that does not fail, at most `limit` times."""

    def __init__(self, failure: Callable[[Any], str | None], limit: int = 400) -> None:
        self._failure = failure
        self._left = limit

    def smallest(self, query: Any, parts: Sequence[Part]) -> Any:
        """A query that fails as the given one does, and of whose parts no half, quarter and so on can go.

        Raises:
            ValueError: the query does not fail.
        """
        kind = self._failure(query)
        if kind is None:
            raise ValueError("the query does not fail, so nothing tells what to keep of it")
        while True:
            before = query
            for part in parts:
                query = self._with_less(query, part, kind)
            if query == before or self._left <= 0:
                return query

    def _with_less(self, query: Any, part: Part, kind: str) -> Any:
        size = len(part.of(query))
        while size > 0 and self._left > 0:
            begin = 0
            while begin < len(part.of(query)) and self._left > 0:
                kept = part.of(query)
                smaller = part.having(query, [*kept[:begin], *kept[begin + size :]])
                self._left -= 1
                if self._failure(smaller) == kind:
                    query = smaller
                else:
                    begin += size
            size = min(size // 2, len(part.of(query)))
        return query
