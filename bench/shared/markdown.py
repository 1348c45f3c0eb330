"""Tables, and the places in the docs that they go to."""

from __future__ import annotations

import re
from pathlib import Path


def head(*names: str) -> list[str]:
    return [row(*names), row("---", *("---:" for _ in names[1:]))]


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def between(marker: str, made: str, text: str) -> str:
    """The text with what was made between the marker's begin and end, if it has them."""
    begin, end = f"<!-- bench:{marker} -->", f"<!-- /bench:{marker} -->"
    place = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    return place.sub(lambda _: f"{begin}\n{made}\n{end}", text)


def put(marker: str, made: str, page: Path) -> None:
    """Writes what was made to its place in the page."""
    page.write_text(between(marker, made, page.read_text()))
