"""Delta Lake and Iceberg: windows over their tables and streams, and MERGE, with both extensions on."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

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


@pytest.mark.long
@pytest.mark.parametrize("using", ["delta", "iceberg"])
def test_tables(tmp_path: Path, using: str) -> None:
    if using not in description_in(LAKES).read_text():
        pytest.skip(f"{using} has no jar for this Spark")
    jars = ",".join(map(str, sorted(jars_of(description_in(LAKES)).glob("*.jar"))))
    done = finished(
        tmp_path,
        sys.executable,
        str(LAKES / "program.py"),
        using,
        str(tmp_path),
        jars,
        env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
        timeout=580,
    )
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
    assert json.loads(done.stdout.splitlines()[-1]) == expected
