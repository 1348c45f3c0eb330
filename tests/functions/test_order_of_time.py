"""Functions of time need its order."""

from __future__ import annotations

import pytest
from cases import crossed
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from semantics.conftest import Ask
from session import settings
from sparks import SPARK, condition_of, skip_if_lacking

FUNCTIONS = ["rate", "increase", "time_weighted_avg"]
TABLE = "VALUES (1, 10, 5), (2, 20, 6), (3, 30, 9) AS t(i, t, x)"


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("enabled", ["true", "false"])
@pytest.mark.parametrize(
    ("call", "time"),
    [
        ("{f}(t, x) OVER (ORDER BY t DESC)", "t"),
        ("{f}(t, x) OVER (PARTITION BY i ORDER BY t DESC, i ROWS 1 PRECEDING)", "t"),
        ("{f}(t, x) OVER w", "t"),
        ("{f}(t, x) WITHIN GROUP (ORDER BY t DESC)", "t"),
        ("{f}(t, x) WITHIN GROUP (ORDER BY t DESC NULLS FIRST, i) OVER (PARTITION BY i)", "t"),
        ("{f}(timestamp_seconds(t), x) WITHIN GROUP (ORDER BY timestamp_seconds(t) DESC)", "timestamp_seconds(t)"),
        ("{f}(timestamp_seconds(t), x) OVER (ORDER BY timestamp_seconds(t) DESC)", None),
    ],
)
def test_time_that_descends_is_refused(
    spark: SparkSession, function: str, enabled: str, call: str, time: str | None
) -> None:
    sql = f"SELECT {call.format(f=function)} FROM {TABLE}" + (" WINDOW w AS (ORDER BY t DESC)" if " w" in call else "")
    skip_if_lacking(sql)
    with settings(spark, {"spark.slidewise.enabled": enabled}), pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert condition_of(caught.value) == "SLIDEWISE_ASCENDING_ORDER_REQUIRED"
    assert f"`{function}` needs its rows in ascending order of " in str(caught.value)
    assert SPARK < (4, 0) or "SQLSTATE: 42601" in str(caught.value)
    assert time is None or f'of "{time}"' in str(caught.value)


@pytest.mark.parametrize(
    ("function", "order"), crossed(FUNCTIONS, ["t", "t ASC NULLS LAST", "t, i DESC", "i, t DESC", "-t DESC"])
)
def test_other_orders_are_taken_as_they_are(spark: SparkSession, ask: Ask, function: str, order: str) -> None:
    ascending = ask(f"SELECT {function}(t, x) OVER (ORDER BY t ROWS 1 PRECEDING) FROM {TABLE}")
    assert ask(f"SELECT {function}(t, x) OVER (ORDER BY {order} ROWS 1 PRECEDING) FROM {TABLE}") == ascending
    if SPARK < (4, 0):  # which has no WITHIN GROUP
        return
    grouped = f"SELECT {function}(t, x) WITHIN GROUP (ORDER BY {{}}) FROM {TABLE}"
    assert spark.sql(grouped.format(order)).first() == spark.sql(grouped.format("t")).first()


@pytest.mark.parametrize(
    ("kind", "ansi"),
    crossed(["tinyint", "int", "bigint", "float", "double", "decimal(7,2)", "decimal(38,10)"], [True, False]),
)
def test_counters_below_zero(ask: Ask, kind: str, ansi: bool) -> None:
    """As any other: less than before is begun again from 0."""
    table = f"(SELECT t, cast(x AS {kind}) AS x FROM VALUES (0, -5), (1, -3), (2, -4), (3, 2), (4, -1) AS t(t, x))"
    over = "OVER (ORDER BY t ROWS 1 PRECEDING)"
    answer = ask(f"SELECT increase(t, x) {over}, rate(t, x) {over} FROM {table}", ansi_enabled=ansi)
    assert [tuple(map(float, row)) for row in answer[1:]] == [(2, 2), (-4, -4), (6, 6), (-1, -1)]
    if SPARK < (4, 0):
        return
    [whole] = ask(f"SELECT increase(t, x) WITHIN GROUP (ORDER BY t) FROM {table}", False, ansi_enabled=ansi)
    assert float(whole[0]) == 3
