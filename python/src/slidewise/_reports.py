"""Reads the reports on window expressions from the EXPLAIN of a Spark Connect server."""

from __future__ import annotations

import json
import threading
from typing import Any

PROVIDERS = "spark.sql.extendedExplainProviders"
PROVIDER = "org.slidewise.spark.SlidewiseExplain"
_FIELDS = {"sql", "slidewise", "algorithm", "reason"}
# Threads of one session would take the setting from one another.
_one_at_a_time = threading.Lock()


def of(df: Any) -> list[dict[str, Any]] | None:
    """The reports on a Connect DataFrame's window expressions, or None if the server has no Slidewise."""
    conf = df.sparkSession.conf
    with _one_at_a_time:
        before = conf.get(PROVIDERS, None)
        if before and PROVIDER in map(str.strip, before.split(",")):
            return parse(df._explain_string())
        conf.set(PROVIDERS, f"{before},{PROVIDER}" if before else PROVIDER)
        try:
            return parse(df._explain_string())
        except Exception as error:
            # Without the class on the server, EXPLAIN fails.
            if PROVIDER in str(error):
                return None
            raise
        finally:
            if before:
                conf.set(PROVIDERS, before)
            else:
                conf.unset(PROVIDERS)


def parse(explained: str) -> list[dict[str, Any]]:
    """The reports in the text of an EXPLAIN: its lines that are JSON objects with the fields of a report.

    >>> parse('== Slidewise ==\\n{"sql": "s", "slidewise": true, "algorithm": "a", "reason": null}\\n')
    [{'sql': 's', 'slidewise': True, 'algorithm': 'a', 'reason': None}]
    """
    reports = []
    for line in explained.split("\n"):
        if not line.startswith('{"'):
            continue
        try:
            report = json.loads(line)
        except json.JSONDecodeError:
            continue
        if report.keys() >= _FIELDS:
            reports.append(report)
    return reports
