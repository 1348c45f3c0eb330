"""Delta Lake and Iceberg: windows over their tables and streams, and MERGE, with both extensions on."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pyspark
import pytest
from maven import description_in, jars_of, needs_description
from sparks import SPARK

from deployment.commands import finished

LAKES = Path(__file__).parent / "lakes"

pytestmark = [
    needs_description(LAKES, "Delta Lake and Iceberg"),
    pytest.mark.skipif(
        pyspark.__version__ == "3.5.0", reason="Delta Lake 3.3 and Iceberg 1.11 need a class of Spark 3.5.1"
    ),
]


def printed(folder: Path, using: str, program: Path, *arguments: str, timeout: int = 580) -> Any:
    """What a program prints that gets some arguments, a folder and the jars."""
    if using not in description_in(LAKES).read_text():
        pytest.skip(f"{using} has no jar for this Spark")
    jars = ",".join(map(str, sorted(jars_of(description_in(LAKES)).glob("*.jar"))))
    done = finished(
        folder,
        sys.executable,
        str(program),
        *(argument.format(folder=folder, jars=jars) for argument in arguments),
        env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
        timeout=timeout,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.long
@pytest.mark.parametrize("using", ["delta", "iceberg"])
def test_random_refreshes(tmp_path: Path, using: str) -> None:
    """SLIDEWISE_LAKE_QUERIES queries, about two thirds of which are over one table: three refreshes each."""
    queries = os.environ.get("SLIDEWISE_LAKE_QUERIES", "12")
    program = Path(__file__).parents[1] / "refresh" / "lakes.py"
    found = printed(tmp_path, using, program, using, "{folder}", "{jars}", "1", queries, timeout=3000)
    assert (found["wrong"], found["written twice"]) == ([], [])
    assert found["refreshes"] >= int(queries)


@pytest.mark.long
@pytest.mark.parametrize("using", ["delta", "iceberg"])
def test_another_writer_during_a_refresh(tmp_path: Path, using: str) -> None:
    program = Path(__file__).parents[1] / "refresh" / "conflicts.py"
    found = printed(tmp_path, using, program, using, "{folder}", "{jars}")
    expected = {"error": "RefreshConflictError", "kept": 1, "whole": True, "same": True}
    assert found == {"before the query runs": expected, "while the query runs": expected}


@pytest.mark.long
@pytest.mark.skipif(SPARK < (4, 0), reason="windows over streams need Spark 4.0")
def test_the_daily_table_and_the_live_stream(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "daily-and-live.md"
    found = printed(tmp_path, "delta", LAKES / "page.py", str(page), "{folder}", "{jars}")
    assert found["printed"] == found["said"]
    assert len(found["printed"]) == 6


@pytest.mark.long
@pytest.mark.parametrize("using", ["delta", "iceberg"])
def test_tables(tmp_path: Path, using: str) -> None:
    found = printed(tmp_path, using, LAKES / "program.py", using, "{folder}", "{jars}")
    expected = {
        "doctor": [],
        "over": {"slidewise": [True] * 6, "rows": 2000, "same": True},
        "hopping": {"slidewise": [True] * 2, "rows": 3025, "same": True},
        "newest": {"slidewise": [True], "rows": 6, "same": True},
        "merge": {"rows": 2000, "same": True, "planned": [True, False]},
        "reading back": {"slidewise": [True], "rows": 2000},
        "overwritten, then merged": {"rows": 1970, "same": True},
    }
    if SPARK >= (4, 0):
        # The watermark has not passed the last ten windows of each sensor, of which one has nine.
        expected |= {
            "over a stream": {"all": 2000, "missing": 0, "wrong": 0},
            "hopping over a stream": {"all": 3025, "missing": 29, "wrong": 0},
        }
    assert found == expected
