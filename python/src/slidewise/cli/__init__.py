"""The command line: `python -m slidewise`, or `slidewise` for short."""

from slidewise.cli._commands import main

__all__ = ["main"]
