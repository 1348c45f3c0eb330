"""explain and the helpers in the session that the tests share."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import slidewise
import slidewise.functions as sw
from slidewise import _install

WINDOW = "OVER (ORDER BY id ROWS 9 PRECEDING)"


def test_explain_keeps_the_order_of_the_query(spark: SparkSession):
    names = ["sum", "max", "count", "min", "avg"]
    columns = ", ".join(f"{name}(id) {WINDOW} AS {name}" for name in names)
    rows = slidewise.explain(spark.sql(f"SELECT {columns} FROM range(100)")).collect()
    assert [row.sql.split("(")[0] for row in rows] == names


def test_explain_of_commands_that_write(spark: SparkSession):
    select = "SELECT id, sum(id) OVER (PARTITION BY id % 2 ORDER BY id ROWS 3 PRECEDING) AS s FROM range(9)"
    spark.sql("DROP TABLE IF EXISTS explained")
    try:
        for command in (
            f"CREATE TABLE explained USING parquet AS {select}",
            f"INSERT INTO explained {select}",
            f"INSERT OVERWRITE explained WITH rows AS ({select}) SELECT * FROM rows",
            f"CACHE TABLE cached AS {select}",
        ):
            (report,) = slidewise.explain(spark.sql(command)).collect()
            assert report.slidewise, command
        assert slidewise.explain(spark.sql("SHOW TABLES")).count() == 0
    finally:
        spark.sql("DROP TABLE IF EXISTS explained")
        spark.sql("UNCACHE TABLE IF EXISTS cached")


def test_explain_and_install_refuse_other_objects(spark: SparkSession):
    with pytest.raises(TypeError, match="df is 'SELECT 1', but must be a DataFrame of Spark"):
        slidewise.explain("SELECT 1")
    with pytest.raises(TypeError, match="spark is None, but must be a SparkSession of Spark"):
        slidewise.install(None)


def test_explain_passes_an_error_on_without_a_stack(spark: SparkSession):
    df = spark.sql(f"SELECT sum(id) {WINDOW} FROM range(10)")

    def explain_with_a_wrong_setting():
        spark.conf.set("spark.slidewise.enabled", "maybe")
        slidewise.explain(df)

    try:
        with pytest.raises(PySparkException, match="maybe") as caught:
            explain_with_a_wrong_setting()
    finally:
        spark.conf.unset("spark.slidewise.enabled")
    assert "\tat " not in str(caught.value)
    assert "InvocationTargetException" not in str(caught.value)


@pytest.mark.parametrize("active", [True, False], ids=["active session", "no active session in the thread"])
def test_a_helper_looks_its_function_up_once(spark: SparkSession, monkeypatch, active: bool):
    looked_up = []
    found = _install._has_function
    monkeypatch.setattr(_install, "_on_in", None)
    if not active:
        monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda _: None))
    monkeypatch.setattr(_install, "_has_function", lambda *where: looked_up.append(where[1]) or found(*where))
    for _ in range(3):
        sw.geomean("x")
    assert looked_up == ["geomean"]


def test_a_helper_asks_nothing_without_a_session(spark: SparkSession, monkeypatch):
    asked = []
    monkeypatch.setattr(_install, "_on_in", None)
    monkeypatch.setattr(SparkSession, "_instantiatedSession", None)
    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda _: asked.append(1)))
    _install.require("geomean")
    assert asked == []


def test_a_helper_names_the_remedy(spark: SparkSession, monkeypatch):
    monkeypatch.setattr(_install, "_on_in", None)
    with pytest.raises(slidewise.NotInstalledError) as caught:
        _install.require("no_such_function")
    assert str(caught.value) == (
        "Slidewise is not on in this session, which has no function `no_such_function`: call slidewise.install(spark)"
    )
    assert _install._on_in is None


def test_a_look_up_that_fails_is_left_to_the_query(spark: SparkSession, monkeypatch):
    def fails(*_):
        raise ConnectionError

    monkeypatch.setattr(_install, "_on_in", None)
    monkeypatch.setattr(_install, "_has_function", fails)
    assert "geomean" in str(sw.geomean("x"))


@pytest.mark.parametrize("frame", [sw.trailing, sw.centered])
def test_rows_come_first_and_an_interval_by_name(spark: SparkSession, frame):
    counted = spark.range(5).selectExpr("id").withColumn("n", sw.over(sw.max_count("id"), frame(3).orderBy("id")))
    assert [row.n for row in counted.orderBy("id").collect()] == [1] * 5
    with pytest.raises(ValueError, match=r"rows is '7 days', .* write interval='7 days' for an interval"):
        frame("7 days")
