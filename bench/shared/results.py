"""What was measured, in the JSON of its benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Results = dict[str, Any]


def read(path: Path) -> Results:
    return json.loads(path.read_text()) if path.exists() else {}


def write(path: Path, results: Results) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n")
