"""The pictures of the command line: gaps, axes, labels and the legend."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from matplotlib import pyplot
from pyspark.sql import SparkSession

from slidewise.cli import _picture, _points

START = datetime(2026, 1, 19)


@pytest.fixture
def drawn(tmp_path: Path, monkeypatch):
    """Draws the series and returns the figure."""
    figures = []
    monkeypatch.setattr(pyplot, "close", figures.append)

    def draw(*series: _picture.Series):
        _picture.draw(series, tmp_path / "a.png", "title", "subtitle", "unit")
        assert (tmp_path / "a.png").stat().st_size > 0
        figures[-1].canvas.draw()
        return figures[-1]

    return draw


def series(step: timedelta, values: list[float], title: str = "a") -> _picture.Series:
    return _picture.Series(title, "", [START + at * step for at in range(len(values))], values)


def test_a_gap_in_time_breaks_the_line(spark: SparkSession):
    days = [0, 1, 2, 3, 20, 21, 60]
    rows = ", ".join(f"(DATE'2026-01-01' + {day}, {day})" for day in days)
    (one,) = _points.series_of(spark.sql(f"SELECT * FROM VALUES {rows} AS t(d, v)"), "d", "v", None)
    assert [None if math.isnan(value) else int(value) for value in one.values] == [0, 1, 2, 3, None, 20, 21, None, 60]
    assert one.times[-1] == date(2026, 3, 2)


def test_a_point_between_two_gaps_is_drawn_as_a_dot(drawn):
    figure = drawn(series(timedelta(days=1), [1.0, 2.0, math.nan, 5.0, math.nan, 2.0, 1.0]))
    (dots,) = [line for line in figure.axes[0].lines if line.get_marker() == "."]
    assert list(dots.get_ydata()) == [5.0]


@pytest.mark.parametrize(
    ("values", "low", "high", "filled"),
    [([50.0, 60.0], 49.5, 60.5, False), ([1.0, 101.0], 0.0, 106.0, True), ([-10.0, 10.0], -11.0, 11.0, True)],
)
def test_the_axis_starts_where_the_values_do(drawn, values, low, high, filled):
    panel = drawn(series(timedelta(days=1), values)).axes[0]
    assert panel.get_ylim() == pytest.approx((low, high))
    assert bool(panel.collections) == filled


def test_a_legend_explains_the_grey_lines(drawn):
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
        (timedelta(seconds=3), r"\d\d:\d\d:\d\d\n\d\d [A-Z][a-z]{2}"),
        (timedelta(minutes=1), r"\d\d:\d\d\n\d\d [A-Z][a-z]{2}"),
        (timedelta(hours=1), r"\d\d:\d\d\n\d\d [A-Z][a-z]{2}"),
        (timedelta(days=2), r"\d\d [A-Z][a-z]{2}\n\d{4}"),
        (timedelta(days=30), r"[A-Z][a-z]{2}\n\d{4}"),
        (timedelta(days=700), r"\d{4}"),
    ],
)
def test_a_label_of_time_can_be_read_alone(drawn, step, complete):
    panel = drawn(series(step, [1.0, 2.0, 3.0] * 8)).axes[0]
    labels = [label.get_text() for label in panel.get_xticklabels()]
    assert len(labels) >= 2
    assert [label for label in labels if not re.fullmatch(complete, label)] == []
