"""Where and when something was measured, and of which state of the code."""

from __future__ import annotations

import datetime
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def where(form: str) -> dict[str, Any]:
    return {
        "form": form,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "cpus": os.cpu_count(),
        "cpu": _cpu(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "load_average": round(os.getloadavg()[1], 1),
        "slidewise": (ROOT / "python/src/slidewise/VERSION").read_text().strip(),
        "commit": _commit(),
    }


def words(at: dict[str, Any]) -> str:
    """Of `where`, the processors and the memory, and how busy they were."""
    busy = f", load average {at['load_average']}" if "load_average" in at else ""
    return f"{at['cpus']} CPUs ({at['cpu']}), {at['memory_gib']} GiB{busy}"


def whole_queries(what: str, turns: int, at: dict[str, Any], note: str = "") -> str:
    """The line below a table of whole queries over `what`, whose cells are as `turns.spread` has them."""
    return f"{what}. Whole queries: median (least to most) of {turns} turns. {note}{measured_on(at)}"


def measured_on(at: dict[str, Any]) -> str:
    """Of `where` with the threads and the versions of the libraries: the end of the line below a table."""
    versions = ", ".join(f"{package} {version}" for package, version in sorted(at["versions"].items()))
    return (
        f"Slidewise {at['slidewise']} ({at['commit']}); {versions}; "
        f"{at['threads']} threads on {words(at)}; {at['date']}."
    )


def _commit() -> str | None:
    """Which state of the code was measured, so that nobody takes old figures for those of newer code."""
    git = shutil.which("git")
    if git is None:
        return None
    said = subprocess.run([git, "log", "-1", "--format=%h", "--", "jvm"], cwd=ROOT, capture_output=True, text=True)
    return said.stdout.strip() or None


def _cpu() -> str:
    about = Path("/proc/cpuinfo")
    lines = about.read_text().splitlines() if about.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
