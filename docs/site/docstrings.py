"""Shows the doctests of docstrings as code."""

from __future__ import annotations

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"((?:^>>>.*\n?)(?:^(?!\s*$).*\n?)*)", re.MULTILINE)


class Doctests(griffe.Extension):
    """Puts doctests into fences."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Changes the docstring of `obj`."""
        if obj.docstring and not obj.is_alias:
            text = obj.docstring.value
            if ">>>" in text and "```" not in text:
                obj.docstring.value = DOCTEST.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)
