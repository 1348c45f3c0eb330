"""The plugin is one source: what differs between Spark minors is small."""

from __future__ import annotations

from pathlib import Path

PLUGIN = Path(__file__).resolve().parents[2] / "jvm/spark"


def lines(folder: Path) -> int:
    """Of the Scala and Java sources that go into a jar."""
    sources = (path for kind in ("scala", "java") for path in (folder / "main").rglob(f"*.{kind}"))
    return sum(len(path.read_text().splitlines()) for path in sources)


def test_nine_tenths_of_the_lines_are_shared():
    shared = lines(PLUGIN / "src") + lines(PLUGIN / "streams")
    differing = {folder.name: lines(folder) for folder in (PLUGIN / "shims").iterdir() if folder.is_dir()}
    assert {"3.5", "since-4.0"} <= differing.keys()
    assert sum(differing.values()) <= 0.1 * (shared + sum(differing.values()))
