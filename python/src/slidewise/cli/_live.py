"""Text that is written again and again in the same place."""

from __future__ import annotations

import sys


class LiveText:
    """On a terminal, each text takes the place of the one before; elsewhere, only its first line is written."""

    def __init__(self) -> None:
        self._lines = 0

    def show(self, text: str) -> None:
        lines = text.splitlines()
        if not sys.stdout.isatty():
            print(lines[0], flush=True)
            return
        back = f"\033[{self._lines}A\033[J" if self._lines else ""
        self._lines = len(lines)
        # A line that wraps would take two, and the next text would not go back far enough.
        print(f"{back}\033[?7l{text}\033[?7h", flush=True)
