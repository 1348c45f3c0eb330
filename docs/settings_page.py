"""Writes settings.md from what Spark's `SET -v` says of the settings: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "settings.md"

_PREFIX = "spark.slidewise."
_STREAMS = f"{_PREFIX}streaming."

_HEAD = """# Settings

<!-- Written by `make docs` from the settings that are registered with Spark; a test compares it with them. -->

Change a setting with `SET key = value` in SQL, with `spark.conf.set(key, value)`, or with `--conf key=value` at
start-up. The next query reads it.

`SET key` prints the value of a setting, and `SET -v` lists all settings. Both need a session with Slidewise on.

Spark refuses an invalid value at once, with the error class `SLIDEWISE_INVALID_SETTING`. An invalid value from start-up
fails the first query with a window function, unless `spark.slidewise.enabled` is `false`. An unknown key under
`spark.slidewise.` is logged once, with the nearest known key.

## All window functions

"""

_STREAMS_HEAD = """
## Windows over streams

A query over a stream reads these settings when it starts. [Windows over streams](streams.md) explains them.

"""

_FOOT = """
`spark.sql.extensions` and `spark.sql.extendedExplainProviders` are settings of Spark; see the [guide](guide.md).
"""


def page(spark: SparkSession) -> str:
    """The whole page. The session must have no setting under `spark.slidewise.`."""
    settings = [row for row in spark.sql("SET -v").collect() if row.key.startswith(_PREFIX)]
    settings.sort(key=lambda row: (row.key != f"{_PREFIX}enabled", row.key))
    batch = [row for row in settings if not row.key.startswith(_STREAMS)]
    streams = [row for row in settings if row.key.startswith(_STREAMS)]
    return _HEAD + _table(batch) + _STREAMS_HEAD + _table(streams) + _FOOT


def _table(settings: list) -> str:
    rows = ["| setting | default | meaning | allowed | since |", "|---|---|---|---|---|"]
    for row in settings:
        meaning, allowed = row.meaning.rsplit(" Allowed: ", 1)
        default = {"": "empty", "<undefined>": "not set"}.get(row.value, f"`{row.value}`")
        rows.append(f"| `{row.key}` | {default} | {meaning} | {allowed.removesuffix('.')} | {row['Since version']} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    """Writes the page."""
    sys.path.insert(0, str(ROOT / "tests"))
    from session import with_slidewise

    spark = with_slidewise(SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")).getOrCreate()
    PAGE.write_text(page(spark), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main()
