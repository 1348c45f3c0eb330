"""What the docs show runs, and what they link to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("doc", ["README.md", "docs/guide.md", "docs/hopping.md", "docs/streams.md"])
def test_python_blocks_run_one_after_the_other(output, doc):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / doc).read_text(), re.DOTALL)
    code = "\n".join(["import os", "os.environ['SPARK_LOCAL_IP'] = '127.0.0.1'", *blocks])
    last = "\nprint('the end:', slidewise.install(spark))"
    assert output(code + last).splitlines()[-1] == "the end: False"


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.name)
def test_links_lead_somewhere(doc: Path):
    targets = re.findall(r"\]\(([^)#]+)\)", doc.read_text())
    gone = [target for target in targets if "://" not in target and not (doc.parent / target).exists()]
    assert gone == []
