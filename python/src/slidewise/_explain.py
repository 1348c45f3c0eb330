"""Which window expressions of a query Slidewise runs, and the reasons for the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from slidewise import _reports
from slidewise._features import require_spark
from slidewise._install import NotInstalledError, call, is_connect
from slidewise._refresh import Refresh
from slidewise._spark_objects import check_is_a

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SCHEMA = "sql string, slidewise boolean, algorithm string, reason string"


def explain(df: DataFrame | Refresh) -> DataFrame:
    """One row for each window expression of a query, in the order of the query.

    Aggregates of [slidewise.window_join] and of such joins in SQL have a row each. A subquery or a join over a range of
    time that Spark runs has one row, with the reason.

    | column | |
    |---|---|
    | `sql` | the window expression, or the aggregate and its frame |
    | `slidewise` | whether Slidewise runs it |
    | `algorithm` | the algorithm, if Slidewise runs it |
    | `reason` | why Spark runs it, or a remark on the algorithm |

    | algorithm | |
    |---|---|
    | `array-kernels` | ranks, values of other rows, and sums, means, extremes and the like, in primitive arrays |
    | `sliding-multiset` | `DISTINCT` aggregates, percentiles and modes, from the counts of a frame's values |
    | `running` | one aggregation buffer, for frames from which no row is evicted |
    | `row-references` | the value of one row of the frame, read where the row lies |
    | `two-stacks-lite` | Two-Stacks Lite over aggregation buffers of a few values |
    | `two-stacks-lite-sketches` | Two-Stacks Lite over sketches and other large buffers |
    | `python-two-stacks-lite` | Two-Stacks Lite over buffers of a [slidewise.Aggregator], in a Python worker |
    | `python-arrays` | scans over arrays of such buffers, for an aggregator with a batch form |
    | `additive-summaries` | a summary of the last rows within a given error; keeps no row |
    | `recalculation` | each frame from its rows, for short frames and for results as long as the frame |

    Of a [slidewise.Refresh], one row tells what it will read and write:

    | column | |
    |---|---|
    | `whole` | whether it computes the whole query |
    | `keys` | the number of changed keys, or of their separate ranges in the order |
    | `first`, `last` | the range of the order key whose results may change; null without a limit |
    | `rows_to_read` | the number of rows of the table that these results are computed from, once per hopping window |
    | `rows_to_write` | the number of rows of the table whose results may change; only those that differ are written |
    | `share` | the rows to read, as a part of the table |
    | `reason` | why it computes the whole query, or reads more than the frames reach |

    >>> import slidewise
    >>> from pyspark.sql import SparkSession
    >>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    >>> _ = slidewise.install(spark)
    >>> df = spark.sql("SELECT sum(id) OVER (ORDER BY id ROWS 9 PRECEDING) FROM range(100)")
    >>> [row.slidewise for row in slidewise.explain(df).collect()]
    [True]
    """
    if isinstance(df, Refresh):
        return df.plan()
    check_is_a("DataFrame", "df", df)
    spark: Any = df.sparkSession
    if is_connect(df):
        require_spark("4.0", spark.version, "slidewise.explain on Spark Connect")
        reports = _reports.of(df)
        if reports is None:
            raise NotInstalledError(
                "the Spark Connect server does not have Slidewise on: slidewise.install(spark) names the options to "
                "start it with"
            )
    else:
        reports = json.loads(call(spark, "explainJson", df._jdf))
    rows = [(r["sql"], r["slidewise"], r["algorithm"], r["reason"]) for r in reports]
    result: DataFrame = spark.createDataFrame(rows, _SCHEMA)
    return result
