"""The notebooks of docs/notebooks run from the first cell to the last, and show plots."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from sparks import needs_streams

NOTEBOOKS = Path(__file__).parents[2] / "docs/notebooks"
PLOTS = {"moving-windows": 3, "windows-over-a-stream": 2}


def executed(name: str, folder: Path) -> Any:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: see tests/requirements.txt")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: see tests/requirements.txt")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"})
    return notebook


def results(notebook: Any) -> list[dict[str, Any]]:
    """The data of what each cell shows, by MIME type."""
    return [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]


def tables(notebook: Any) -> str:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")


def test_every_notebook_is_tested():
    assert sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")) == sorted(PLOTS)


@pytest.mark.long
def test_moving_windows(tmp_path: Path):
    notebook = executed("moving-windows", tmp_path)
    shown = results(notebook)
    assert len([data for data in shown if "image/png" in data]) == PLOTS["moving-windows"]
    texts = [data["text/plain"] for data in shown if "image/png" not in data]
    assert texts == ["336776", "True"]
    assert tables(notebook).count("|     true|") == 4


@pytest.mark.long
@needs_streams
def test_windows_over_a_stream(tmp_path: Path):
    notebook = executed("windows-over-a-stream", tmp_path)
    shown = results(notebook)
    assert len([data for data in shown if "image/png" in data]) == PLOTS["windows-over-a-stream"]
    texts = [data["text/plain"] for data in shown if "image/png" not in data]
    assert texts == ["336776", "(7721, 0, 0)"]
    assert tables(notebook).count("|     true|") == 2
