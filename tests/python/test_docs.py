"""What the docs show runs, and what they link to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pandas_api import skip_without_pandas_api

ROOT = Path(__file__).parents[2]
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


# The README's stream runs for a minute; its first rows, which a reader looks for, come earlier.
MINUTE = "query.awaitTermination(60)"
FIRST_ROWS = """import time
while query.isActive and not any(batch["sink"]["numOutputRows"] > 0 for batch in query.recentProgress):
    time.sleep(0.2)
assert query.isActive
"""


def blocks(doc: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / doc).read_text(), re.DOTALL)


RUN = [
    "README.md",
    "docs/guide.md",
    "docs/hopping.md",
    "docs/python-aggregators.md",
    "docs/scale.md",
    "docs/streams.md",
    "docs/troubleshooting.md",
]


@pytest.mark.parametrize("doc", RUN)
def test_python_blocks_run_one_after_the_other(program, output, doc):
    if doc == "docs/scale.md":
        skip_without_pandas_api(program)
    code = "\n".join(["import os", "os.environ['SPARK_LOCAL_IP'] = '127.0.0.1'", *blocks(doc)])
    assert (MINUTE in code) == (doc == "README.md")
    code = code.replace(MINUTE, FIRST_ROWS)
    last = "\nprint('the end:', slidewise.install(spark))"
    assert output(code + last).splitlines()[-1] == "the end: False"


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.name)
def test_links_lead_somewhere(doc: Path):
    targets = re.findall(r"\]\(([^)#]+)\)", doc.read_text())
    gone = [target for target in targets if "://" not in target and not (doc.parent / target).exists()]
    assert gone == []
