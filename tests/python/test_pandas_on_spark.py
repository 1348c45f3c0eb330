"""Windows of the pandas API on Spark: the results of pandas, and without keys several tasks share them."""

from __future__ import annotations

import json

import pytest
from pandas_api import skip_without_pandas_api

PROGRAM = """
import json
import warnings

warnings.simplefilter("ignore")
import numpy as np
import pandas as pd
import slidewise
from pyspark.sql import SparkSession

settings = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.slidewise.parallel.minRows": "500",
}
builder = SparkSession.builder.master("local[2]")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = slidewise.configure(builder).getOrCreate()
import pyspark.pandas as ps

WINDOWS = {
    "rolling": lambda frame: frame.x.rolling(1000).mean(),
    "expanding": lambda frame: frame.x.expanding().sum(),
    "shift": lambda frame: frame.x.shift(1),
    "diff": lambda frame: frame.x.diff(),
    "rank": lambda frame: frame.x.rank(),
    "cumsum": lambda frame: frame.x.cumsum(),
    "ewm": lambda frame: frame.x.ewm(alpha=0.1).mean(),
    "rolling by key": lambda frame: frame.groupby("k").x.rolling(100).mean(),
    "cumsum by key": lambda frame: frame.groupby("k").x.cumsum(),
}


def nodes(plan):
    yield plan
    inner = {"AdaptiveSparkPlan": "executedPlan", "ShuffleQueryStage": "plan", "ResultQueryStage": "plan"}
    if plan.nodeName() in inner:
        yield from nodes(getattr(plan, inner[plan.nodeName()])())
    for i in range(plan.children().size()):
        yield from nodes(plan.children().apply(i))


frame = ps.range(4000, num_partitions=4)
frame["x"] = (frame.id * 7919 % 1000) / 8
frame["k"] = frame.id % 8
local = pd.DataFrame({"id": np.arange(4000)})
local["x"] = (local.id * 7919 % 1000) / 8
local["k"] = local.id % 8
found = {}
for name, window in WINDOWS.items():
    column = window(frame)
    table = column.to_frame().to_spark()
    table.collect()
    plan = table._jdf.queryExecution().executedPlan()
    windows = [node for node in nodes(plan) if node.nodeName() == "SlidingWindow"]
    same = np.allclose(column.sort_index().to_numpy(), window(local).sort_index().to_numpy(), equal_nan=True)
    found[name] = {"same": bool(same), "tasks": max(node.metrics().apply("tasks").value() for node in windows)}
print("found " + json.dumps(found))
"""


@pytest.mark.long
def test_several_tasks_share_the_windows(program, output):
    skip_without_pandas_api(program)
    said = output(PROGRAM)
    found = json.loads(next(line for line in said.splitlines() if line.startswith("found ")).removeprefix("found "))
    tasks = dict.fromkeys(("rolling", "expanding", "shift", "diff", "rank", "cumsum"), 4)
    # No rows are shared by tasks: buffers of `ewm` cannot be merged, and keys have the tasks of the shuffle.
    tasks |= dict.fromkeys(("ewm", "rolling by key", "cumsum by key"), 0)
    assert found == {name: {"same": True, "tasks": count} for name, count in tasks.items()}
