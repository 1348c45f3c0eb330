"""Libraries that build windows for Spark: each example of docs/libraries.md prints what the page shows."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from sparks import SPARK, needs_streams

PAGE = (Path(__file__).parents[2] / "docs/libraries.md").read_text()
SETUP, *SECTIONS = PAGE.split("\n## ")
LIBRARIES = {section.split("\n")[0]: section for section in SECTIONS if "```python" in section}
TESTED = (4, 3)


def code_of(text: str) -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))


def shown_by(text: str) -> str:
    return "".join(re.findall(r"\n```\n(.*?)```\n", re.sub(r"```python\n.*?```", "", text, flags=re.DOTALL), re.DOTALL))


def skip_without(library: str) -> None:
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed: see tests/requirements.txt")
    if SPARK != TESTED:
        pytest.skip(f"the page shows what {library} prints on Spark {'.'.join(map(str, TESTED))}")


def test_the_libraries_of_the_page():
    assert list(LIBRARIES) == ["ibis", "narwhals", "sqlframe"]


@pytest.mark.long
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_examples_print_what_the_page_shows(output, library):
    skip_without(library)
    printed = output(code_of(SETUP) + code_of(LIBRARIES[library]))
    shown = shown_by(LIBRARIES[library])
    assert [line for line in printed.splitlines() if line] == [line for line in shown.splitlines() if line]


SAME = """
on = set(rows())
spark.conf.set("spark.slidewise.enabled", "false")
print(len(on), on == set(rows()))
"""
ROWS = {
    "ibis": "rows = lambda: spark.sql(ibis.to_sql(table.mutate(mean=table.value.mean().over(last)))).collect()",
    "narwhals": "rows = lambda: frame.with_columns(mean=nw.col('value').rolling_mean(10, min_samples=1)"
    ".over('sensor', order_by='time')).to_native().collect()",
    "sqlframe": "rows = lambda: spark.sql(rolling.select('sensor', 'time', 'mean').sql()).collect()",
}


@pytest.mark.long
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_answers_are_those_of_spark(output, library):
    skip_without(library)
    printed = output("\n".join([code_of(SETUP), code_of(LIBRARIES[library]), ROWS[library], SAME]))
    assert printed.splitlines()[-1] == "3000 True"


STREAM = """
import tempfile
folder = tempfile.mkdtemp()
readings.write.mode("overwrite").parquet(folder)
events = spark.readStream.schema(readings.schema).parquet(folder).withWatermark("time", "1 minute")
events.createOrReplaceTempView("events")
spark.conf.set("spark.sql.shuffle.partitions", 1)
"""
OVER_STREAM = {
    "ibis": """
import ibis
events = ibis.pyspark.connect(spark).table("events")
last = ibis.window(group_by="sensor", order_by="time", preceding=9, following=0)
windows = spark.sql(ibis.to_sql(events.mutate(mean=events.value.mean().over(last))))
""",
    "narwhals": """
import narwhals as nw
mean = nw.col("value").rolling_mean(10, min_samples=1).over("sensor", order_by="time")
windows = nw.from_native(events).with_columns(mean=mean).to_native()
""",
}
WRITE = """
query = windows.writeStream.format("memory").queryName("found").trigger(availableNow=True).start()
query.awaitTermination()
mean = "avg(value) OVER (PARTITION BY sensor ORDER BY time ROWS 9 PRECEDING) AS mean"
expected = readings.selectExpr("*", mean).where("time <= TIMESTAMP'2026-01-03 01:58:00'")
found = spark.table("found")
print(windows.isStreaming, found.count(), expected.exceptAll(found).count(), found.exceptAll(expected).count())
"""


@needs_streams
@pytest.mark.long
@pytest.mark.parametrize("library", OVER_STREAM)
def test_windows_over_a_stream(output, library):
    skip_without(library)
    printed = output("\n".join([code_of(SETUP), STREAM, OVER_STREAM[library], WRITE]))
    assert printed.splitlines()[-1] == "True 2999 0 0"
