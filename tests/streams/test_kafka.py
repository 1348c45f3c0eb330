"""From a topic of a Kafka broker into another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sparks import needs_spark

from streams.kafka.broker import broker, jars

pytestmark = needs_spark("4.1", "the test has the connector of Spark 4.2")
PROGRAM = Path(__file__).parent / "kafka" / "program.py"


@pytest.mark.long
def test_kafka(tmp_path: Path) -> None:
    connector = ",".join(map(str, sorted(jars("connector").glob("*.jar"))))
    with broker(tmp_path) as address:
        done = subprocess.run(
            [sys.executable, str(PROGRAM), str(tmp_path), address, connector],
            env=os.environ | {"PYTHONPATH": str(PROGRAM.parents[2])},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-5000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {"consumed": 301, "answers": 300, "equal": True}
