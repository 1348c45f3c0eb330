"""The check of the built site finds dead links, dead anchors and whatever would come from the network."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

check = runpy.run_path(str(Path(__file__).parents[2] / "docs/site/check_links.py"))["check"]


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ('<a href="other.html#there">', None),
        ('<a href="other.html">', None),
        ('<a href="#here">', None),
        ('<a href="folder/">', None),
        ('<a href="https://example.org/x">', None),
        ('<a href="gone.html">', "page.html: gone.html is not there"),
        ('<a href="other.html#gone">', "page.html: other.html#gone has no such anchor"),
        ('<a href="#gone">', "page.html: #gone has no such anchor"),
        ('<img src="gone.png">', "page.html: gone.png is not there"),
        (
            '<script src="https://example.org/x.js"></script>',
            "page.html: loads https://example.org/x.js from the network",
        ),
        (
            '<link rel="stylesheet" href="//example.org/x.css">',
            "page.html: loads //example.org/x.css from the network",
        ),
    ],
)
def test_faults(tmp_path: Path, link: str, fault: str | None) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/index.html").write_text("<p>", encoding="utf-8")
    (tmp_path / "other.html").write_text('<h1 id="there">', encoding="utf-8")
    (tmp_path / "page.html").write_text(f'<h1 id="here">{link}', encoding="utf-8")
    faults, _ = check(tmp_path)
    assert faults == ([] if fault is None else [fault])


def test_external_links_are_listed(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text('<a href="https://example.org/x">', encoding="utf-8")
    assert check(tmp_path) == ([], {"https://example.org/x": {"page.html"}})
