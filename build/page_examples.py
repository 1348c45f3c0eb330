"""The Python examples of a page of the documentation, and what they print.

An example is a block of Python. A block without a language right below it is its output.
"""

from __future__ import annotations

import re

EXAMPLE = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```\n(?P<shown>.*?)```\n)?", re.DOTALL)
_MARK = "-- the next example --\n"


def examples(page: str) -> list[re.Match[str]]:
    """The examples of a page's text, with the groups `code` and `shown`, None for an example without output."""
    return list(EXAMPLE.finditer(page))


def program(found: list[re.Match[str]], end: str = "") -> str:
    """One program that runs the examples one after the other, and then `end`. See `printed`."""
    return "\n".join(f"print({_MARK!r}, end='')\n{code}" for code in [*(example["code"] for example in found), end])


def printed(output: str) -> list[str]:
    """The output of each example of a program, and that of its end."""
    return output.split(_MARK)[1:]
