"""Text that replaces itself on a terminal."""

from __future__ import annotations

import sys


class LiveText:
    """On a terminal, each text replaces the previous one. Elsewhere, prints the first line of each text."""

    def __init__(self) -> None:
        self._lines = 0

    def show(self, text: str) -> None:
        lines = text.splitlines()
        if not sys.stdout.isatty():
            print(lines[0], flush=True)
            return
        back = f"\033[{self._lines}A\033[J" if self._lines else ""
        self._lines = len(lines)
        # A wrapped line would take two lines, and the next text would not go back far enough.
        print(f"{back}\033[?7l{text}\033[?7h", flush=True)
