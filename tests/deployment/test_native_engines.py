"""Comet beside Slidewise: the same answers, and native plans below our operators."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from maven import description_in, jars_of, needs_description

from deployment.commands import finished

NATIVE = Path(__file__).parent / "native"

OURS = ("SlidingWindow", "WindowJoin", "HoppingWindow")
SCANS = {"CometScan", "CometNativeScan"}

pytestmark = needs_description(NATIVE, "Comet")


@pytest.mark.long
@pytest.mark.parametrize("order", ["comet,slidewise", "slidewise,comet"])
def test_comet(tmp_path: Path, order: str) -> None:
    (comet,) = jars_of(description_in(NATIVE)).glob("comet-*.jar")
    program = str(NATIVE / "program.py")
    env = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    done = finished(tmp_path, sys.executable, program, str(tmp_path), str(comet), order, env=env, timeout=580)
    found = json.loads(done.stdout.splitlines()[-1])
    assert all(query["same"] for query in found.values()), found
    for name, query in found.items():
        operators = query["operators"]
        ours = [i for i, operator in enumerate(operators) if operator in OURS]
        assert len(ours) == (2 if name == "two" else 1), (name, operators)
        below = operators[ours[0] + 1 :]
        assert SCANS & set(below), (name, operators)
        # The rule that comes first chooses the shuffle, but Slidewise has none of its own below hopping windows. Its
        # runs are planned in either order.
        chooses = order == "slidewise,comet" and name not in ("hopping", "no key")
        assert ("BlockExchange" in below) == chooses, (name, operators)
        assert ("RunsExchange" in below) == (name == "no key"), (name, operators)
        # Windows and joins read Comet's columns. Rows are made of them below the shuffle for the selection of top rows
        # and for the partial aggregation of panes, and once more above a shuffle of Comet's.
        conversions = {"top": 1 if "BlockExchange" in below else 2, "hopping": 2}.get(name, 0)
        assert below.count("CometColumnarToRow") == conversions, (name, operators)
        assert "ColumnarToRow" not in below, (name, operators)
        assert name == "hopping" or not {"Sort", "CometSort"} & set(below), (name, operators)
