"""What the docs show runs and prints what they show, and what they link to is there."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from pandas_api import skip_without_pandas_api

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "build"))
import page_examples  # noqa: E402

DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(doc: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / doc).read_text(), re.DOTALL)


# Pages whose examples run.
RUN = [
    "docs/guide.md",
    "docs/hopping.md",
    "docs/python-aggregators.md",
    "docs/streams.md",
    "docs/troubleshooting.md",
]


@pytest.mark.long
@pytest.mark.parametrize("doc", RUN)
def test_python_blocks_run_one_after_the_other(output, doc):
    code = "\n".join(["import os", "os.environ['SPARK_LOCAL_IP'] = '127.0.0.1'", *blocks(doc)])
    last = "\nprint('the end:', slidewise.install(spark))"
    assert output(code + last).splitlines()[-1] == "the end: False"


# Pages whose examples print what stands below them, to the letter. Each needs a Spark of its own: `make test` runs
# those that a new user reads first.
PRINTED = ["README.md", "docs/quick-start.md"]
PRINTED_LONG = [
    "docs/errors.md",
    "docs/recipes.md",
    "docs/refresh.md",
    "docs/scale.md",
    "docs/time.md",
    "docs/window-joins.md",
    "docs/worth-it.md",
]


@pytest.mark.parametrize("doc", [*PRINTED, *(pytest.param(doc, marks=pytest.mark.long) for doc in PRINTED_LONG)])
def test_examples_print_what_stands_below_them(program, output, doc):
    """SLIDEWISE_WRITE=1 writes it instead."""
    if doc == "docs/scale.md":
        skip_without_pandas_api(program)
    text = (ROOT / doc).read_text()
    examples = page_examples.examples(text)
    code = page_examples.program(examples, "print('the end:', slidewise.install(spark))")
    *printed, last = page_examples.printed(output(code))
    assert last == "the end: False\n"
    pairs = zip(examples, printed)
    told = [(example, lines.rstrip() + "\n") for example, lines in pairs if example["shown"] is not None]
    if os.environ.get("SLIDEWISE_WRITE") == "1":
        for example, lines in reversed(told):
            text = text[: example.start("shown")] + lines + text[example.end("shown") :]
        (ROOT / doc).write_text(text)
        return
    assert [lines for _, lines in told] == [example["shown"] for example, _ in told]


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.name)
def test_links_lead_somewhere(doc: Path):
    targets = re.findall(r"\]\(([^)#]+)\)", doc.read_text())
    # The site's build writes the Scaladoc, and checks the links to it.
    files = [target for target in targets if "://" not in target and not target.startswith("scala/")]
    gone = [target for target in files if not (doc.parent / target).exists()]
    assert gone == []
