"""Adds to the site the pages that are not in docs/: the README and its like, SQL with its results, and the Scaladoc."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
SCALADOC = ROOT / ".build/scaladoc"

# Files of the repository, and the pages that they become.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "LICENSE": "license.md",
    "jvm/spark/shims/README.md": "shims.md",
}
SQL = {
    "functions": "Runnable SQL: functions",
    "recipes": "Runnable SQL: recipes",
    "frames": "Runnable SQL: frames",
    "papers": "Runnable SQL: the papers",
}
SOURCES = {page: source for source, page in PAGES.items()}
LINK = re.compile(r"(?<=\]\()([^)#\s]*)(#[^)\s]*)?(?=\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages and the Scaladoc."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=_page(ROOT / source)))
    for folder, title in SQL.items():
        files.append(File.generated(config, f"sql-{folder}.md", content=_sql(ROOT / "sql" / folder, title)))
    for path in sorted(SCALADOC.rglob("*")):
        if path.is_file() and path.name != "stamp":
            uri = f"scala/{path.relative_to(SCALADOC).as_posix()}"
            files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Makes links between files of the repository links between pages."""
    uri = page.file.src_uri
    folder = posixpath.dirname(SOURCES.get(uri, f"docs/{uri}"))

    def page_of(match: re.Match[str]) -> str:
        target, anchor = match[1], match[2] or ""
        if not target or "://" in target:
            return match[0]
        path = posixpath.normpath(posixpath.join(folder, target))
        return posixpath.relpath(_page_of(path), posixpath.dirname(uri) or ".") + anchor

    fence = re.compile(r"(^\s*```.*?^\s*```\s*$)", re.DOTALL | re.MULTILINE)
    parts = fence.split(markdown)
    return "".join(part if i % 2 else LINK.sub(page_of, part) for i, part in enumerate(parts))


def _page_of(path: str) -> str:
    """The page of a file or folder of the repository."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("sql/"):
        return f"sql-{path.split('/')[1]}.md"
    return posixpath.relpath(path, "docs") if path.startswith("docs/") else path


def _page(source: Path) -> str:
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".md":
        return text
    return f"# {source.name.capitalize()}\n\n```text\n{text}```\n"


def _sql(folder: Path, title: str) -> str:
    """Each file of SQL with its results, which a test compares."""
    parts = [f"# {title}\n\nThe tests run each file, with Slidewise on and off, and compare the results.\n"]
    for path in sorted(folder.glob("*.sql")):
        result = path.with_suffix(".out").read_text(encoding="utf-8").rstrip()
        sql = path.read_text(encoding="utf-8").rstrip()
        parts.append(f"\n## {path.stem}\n\n```sql\n{sql}\n```\n\n```text\n{result}\n```\n")
    return "".join(parts)
