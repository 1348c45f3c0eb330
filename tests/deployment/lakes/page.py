"""Runs the examples of a page of the docs in a session with Delta Lake.

Arguments: the page, a folder, and the jars, separated by commas. Prints one JSON object: what the examples printed, and
what the page says.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from deployment.lakes.program import session

EXAMPLE = re.compile(r"^```py\n(.*?)^```\n(?:\n^```\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


def main(page: str, folder: str, jars: str) -> None:
    spark = session(folder, jars)
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    names = {"spark": spark, "checkpoint": f"{folder}/checkpoint"}
    printed, said = [], []
    for number, (code, output) in enumerate(EXAMPLE.findall(Path(page).read_text(encoding="utf-8"))):
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            exec(compile(code, f"example {number}", "exec"), names)
        printed.append(shown.getvalue())
        said.append(output)
    spark.stop()
    print(json.dumps({"printed": printed, "said": said}))


if __name__ == "__main__":
    main(*sys.argv[1:])
