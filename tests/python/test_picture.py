"""The pictures of slidewise.plot and of the command line: gaps, axes, labels, the legend, and refusals."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from sparks import needs_connect_server

import slidewise
from slidewise._plot import _picture, _points

START = datetime(2026, 1, 19)


PNG = b"\x89PNG\r\n\x1a\n"


def drawn(*series: _picture.Series):
    """Draws the series and returns the figure."""
    figure = _picture.draw(series, "title", "subtitle", "unit")
    figure.canvas.draw()
    return figure


def series(step: timedelta, values: list[float], title: str = "a") -> _picture.Series:
    return _picture.Series(title, "", [START + at * step for at in range(len(values))], values)


def test_a_gap_in_time_breaks_the_line(spark: SparkSession):
    days = [0, 1, 2, 3, 20, 21, 60]
    rows = ", ".join(f"(DATE'2026-01-01' + {day}, {day})" for day in days)
    (one,) = _points.series_of(spark.sql(f"SELECT * FROM VALUES {rows} AS t(d, v)"), "d", "v", None)
    assert [None if math.isnan(value) else int(value) for value in one.values] == [0, 1, 2, 3, None, 20, 21, None, 60]
    assert one.times[-1] == date(2026, 3, 2)


def test_a_point_between_two_gaps_is_drawn_as_a_dot():
    figure = drawn(series(timedelta(days=1), [1.0, 2.0, math.nan, 5.0, math.nan, 2.0, 1.0]))
    (dots,) = [line for line in figure.axes[0].lines if line.get_marker() == "."]
    assert list(dots.get_ydata()) == [5.0]


@pytest.mark.parametrize(
    ("values", "low", "high", "filled"),
    [([50.0, 60.0], 49.5, 60.5, False), ([1.0, 101.0], 0.0, 106.0, True), ([-10.0, 10.0], -11.0, 11.0, True)],
)
def test_the_axis_starts_where_the_values_do(values, low, high, filled):
    panel = drawn(series(timedelta(days=1), values)).axes[0]
    assert panel.get_ylim() == pytest.approx((low, high))
    assert bool(panel.collections) == filled


def test_a_legend_explains_the_grey_lines():
    alone = drawn(series(timedelta(days=1), [1.0, 2.0]))
    assert alone.legends == []
    figure = drawn(series(timedelta(days=1), [1.0, 2.0], "a"), series(timedelta(days=1), [2.0, 3.0], "b"))
    (legend,) = figure.legends
    lines = zip(legend.get_texts(), legend.get_lines(), strict=True)
    assert {text.get_text(): line.get_color() for text, line in lines} == {
        "the panel's own group": _picture._LINE,
        "the other groups": _picture._OTHERS,
    }


@pytest.mark.parametrize(
    ("step", "complete"),
    [
        (timedelta(seconds=7), r"\d\d:\d\d\n\d\d [A-Z][a-z]{2}"),
        (timedelta(minutes=7), r"\d\d:\d\d\n\d\d [A-Z][a-z]{2}"),
        (timedelta(hours=2.2), r"\d\d [A-Z][a-z]{2}\n\d{4}"),
        (timedelta(days=3.8), r"[A-Z][a-z]{2}\n\d{4}"),
        (timedelta(days=40), r"\d{4}"),
        (timedelta(seconds=3), r"\d\d:\d\d:\d\d\n\d\d [A-Z][a-z]{2}"),
        (timedelta(minutes=1), r"\d\d:\d\d\n\d\d [A-Z][a-z]{2}"),
        (timedelta(hours=1), r"\d\d:\d\d\n\d\d [A-Z][a-z]{2}"),
        (timedelta(days=2), r"\d\d [A-Z][a-z]{2}\n\d{4}"),
        (timedelta(days=30), r"[A-Z][a-z]{2}\n\d{4}"),
        (timedelta(days=700), r"\d{4}"),
    ],
)
@pytest.mark.filterwarnings("error:AutoDateLocator")
def test_a_label_of_time_can_be_read_alone(step, complete):
    panel = drawn(series(step, [1.0, 2.0, 3.0] * 8)).axes[0]
    labels = [label.get_text() for label in panel.get_xticklabels()]
    assert len(labels) >= 2
    assert [label for label in labels if not re.fullmatch(complete, label)] == []


WAVES = """
    SELECT id % 3 AS k, timestamp_seconds(id * 60) AS t,
           avg(sin(id / 40)) OVER (PARTITION BY id % 3 ORDER BY id ROWS 9 PRECEDING) AS mean
    FROM range(90000)"""


def test_plot_draws_a_panel_for_each_group_of_bounded_size(spark: SparkSession, tmp_path: Path, monkeypatch):
    collected = []
    collect = type(spark.range(1)).collect
    monkeypatch.setattr(type(spark.range(1)), "collect", lambda df: collected.append(collect(df)) or collected[-1])
    picture = slidewise.plot(spark.sql(WAVES), "t", "mean", "k")
    panels = [panel for panel in picture.figure.axes if panel.get_visible()]
    assert [panel.get_title(loc="left") for panel in panels] == ["0", "1", "2"]
    assert [text.get_text() for text in picture.figure.texts] == ["mean, by k", "over t", "mean"]
    assert max(map(len, collected)) in range(1000, 3 * _points._MOST_POINTS + 1)
    picture.save(tmp_path / "new" / "waves.png")
    assert (tmp_path / "new" / "waves.png").read_bytes() == picture._repr_png_()
    assert picture._repr_png_().startswith(PNG)


def test_rows_without_a_group_are_a_group(spark: SparkSession):
    rows = spark.sql("SELECT id, id * 1.0 AS x, IF(id % 2 = 0, NULL, 'odd') AS g FROM range(10)")
    assert [one.title for one in _points.series_of(rows, "id", "x", "g")] == ["null", "odd"]
    assert [one.title for one in _points.series_of(rows.where("g IS NULL"), "id", "x", "g")] == ["null"]


def test_plot_leaves_pyplot_alone(spark: SparkSession):
    from matplotlib import pyplot

    pyplot.switch_backend("svg")
    slidewise.plot(spark.range(9), "id", "id")
    assert pyplot.get_backend() == "svg"
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("gone", "mean"), "time is 'gone', but the result has the columns k, t, mean"),
        (("t", "gone"), "value is 'gone', but the result has"),
        (("t", "mean", "gone"), "group is 'gone', but the result has"),
        (("t", "t"), "value is 't' of type timestamp, but must be a number"),
    ],
)
def test_plot_names_a_column_that_cannot_be_drawn(spark: SparkSession, columns, message):
    with pytest.raises(ValueError, match=message):
        slidewise.plot(spark.sql(WAVES), *columns)


def test_plot_refuses_a_stream_and_an_empty_result(spark: SparkSession):
    with pytest.raises(ValueError, match="a stream cannot be drawn: write it to a table"):
        slidewise.plot(spark.readStream.format("rate").load(), "timestamp", "value")
    with pytest.raises(ValueError, match="there is nothing to draw: the result has no row"):
        slidewise.plot(spark.range(0), "id", "id")


@pytest.mark.long
@needs_connect_server
def test_plot_in_a_session_of_spark_connect(output, connect_server):
    drew = output(
        f"""
import slidewise
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote({connect_server!r}).getOrCreate()
picture = slidewise.plot(spark.sql('''{WAVES}'''), "t", "mean", "k")
print(len(picture.figure.axes), picture._repr_png_()[1:4])
"""
    )
    assert drew == "3 b'PNG'\n"
