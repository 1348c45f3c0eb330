"""Small multiples: a value over time, a panel for each group, with the other groups in grey behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INK, _MUTED, _GHOST, _LINE, _FILL = "#1f2933", "#66727f", "#dfe3e8", "#0b6e99", "#cfe6f0"
_OTHERS = "#cdd3da"
_WILD = 400


@dataclass
class Series:
    """One panel: its title, a small note, and its points in the order of time. A NaN breaks the line."""

    title: str
    note: str
    times: Sequence[Any]
    values: Sequence[float]


def require_matplotlib() -> None:
    """Raises an `ImportError` that names the remedy if Matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError("a picture needs matplotlib: pip install matplotlib") from error


def draw(series: Sequence[Series], title: str, subtitle: str, unit: str) -> Figure:
    """Draws the panels, in the order given. Uses no pyplot, whose figures and backend belong to the caller."""
    require_matplotlib()
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    columns = min(4, len(series))
    rows = math.ceil(len(series) / columns)
    with rc_context({"font.family": "sans-serif", "text.color": _INK, "axes.edgecolor": _GHOST}):
        width, height = max(3.1 * columns, 8.0), max(2.05 * rows, 3.2) + 1.15
        figure = Figure(figsize=(width, height), dpi=130)
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        panels = [panel for row in grid for panel in row]
        low, high = _limits([value for one in series for value in one.values])
        for panel, one in zip(panels, series):
            _panel(panel, one, [other for other in series if other is not one], from_zero=low <= 0 <= high)
        for panel in panels[len(series) :]:
            panel.set_visible(False)
        for last in panels[max(0, len(series) - columns) : len(series)]:
            last.tick_params(labelbottom=True)
        panels[0].set_ylim(low, high)
        for panel, one in zip(panels, series):
            _mark_what_is_cut(panel, one, high)
        figure.text(0.03, 1 - 0.30 / height, _plain(title), size=17, weight="bold", va="top")
        figure.text(0.03, 1 - 0.68 / height, _plain(subtitle), size=10.5, color=_MUTED, va="top")
        if len(series) > 1:
            _legend(figure, 1 - 0.22 / height)
        figure.supylabel(_plain(unit), size=9.5, color=_MUTED, x=0.008)
        figure.tight_layout(rect=(0.018, 0.0, 0.995, 1 - 0.95 / height), h_pad=1.1, w_pad=0.8)
    return figure


def _plain(text: str) -> str:
    """The text such that Matplotlib reads no formula in it."""
    return text.replace("$", r"\$")


def _legend(figure: Any, top: float) -> None:
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=_LINE, linewidth=1.5, label="the panel's own group"),
        Line2D([], [], color=_OTHERS, linewidth=1.5, label="the other groups"),
    ]
    figure.legend(
        handles=lines, loc="upper right", bbox_to_anchor=(0.995, top), ncols=2, frameon=False, fontsize=9, borderpad=0
    )


def _panel(panel: Any, one: Series, others: list[Series], from_zero: bool) -> None:
    for other in others:
        panel.plot(other.times, other.values, color=_OTHERS, linewidth=0.5, zorder=1)
    if from_zero:
        panel.fill_between(one.times, 0, one.values, color=_FILL, alpha=0.75, linewidth=0, zorder=2)
        panel.axhline(0, color=_MUTED, linewidth=0.6, zorder=4)
    panel.plot(one.times, one.values, color=_LINE, linewidth=1.5, zorder=3)
    alone = _without_neighbours(one)
    panel.plot([t for t, _ in alone], [v for _, v in alone], ".", color=_LINE, markersize=3, zorder=3)
    panel.set_title(_plain(one.title), loc="left", size=10, weight="bold", pad=14)
    panel.text(0, 1.03, _plain(one.note), transform=panel.transAxes, size=8, color=_MUTED, va="bottom")
    panel.grid(axis="y", color=_GHOST, linewidth=0.5)
    panel.set_axisbelow(True)
    panel.margins(x=0)
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.tick_params(labelsize=8, colors=_MUTED, length=0)
    if one.times and isinstance(one.times[0], date):
        _label_dates(panel.xaxis)


def _label_dates(axis: Any) -> None:
    """Labels that can be read alone: a day has its month, a month its year, an hour its day."""
    from matplotlib import dates as typed_dates

    dates: Any = typed_dates
    locator = dates.AutoDateLocator(minticks=3, maxticks=5)
    # Of each unit, the next one: without it, no interval gives at most five labels for, say, 50 hours.
    longest = {dates.MONTHLY: 12, dates.DAILY: 31, dates.HOURLY: 24, dates.MINUTELY: 60, dates.SECONDLY: 60}
    for unit, interval in longest.items():
        locator.intervald[unit] = [*locator.intervald[unit], interval]
    formats = ["%Y", "%b\n%Y", "%d %b\n%Y", "%H:%M\n%d %b", "%H:%M\n%d %b", "%H:%M:%S\n%d %b"]
    formatter = dates.ConciseDateFormatter(locator, formats=formats, zero_formats=formats, show_offset=False)
    axis.set_major_locator(locator)
    axis.set_major_formatter(formatter)


def _without_neighbours(one: Series) -> list[tuple[Any, float]]:
    """The points between two gaps, which no line reaches."""
    values = [math.nan, *one.values, math.nan]
    return [
        (time, value)
        for time, before, value, after in zip(one.times, values, values[1:], values[2:])
        if math.isfinite(value) and not math.isfinite(before) and not math.isfinite(after)
    ]


def _mark_what_is_cut(panel: Any, one: Series, high: float) -> None:
    finite = [(v, t) for v, t in zip(one.values, one.times) if math.isfinite(v)]
    peak, at = max(finite, default=(high, None))
    if peak > high:
        panel.annotate(
            f" {peak:,.0f}",
            (at, high),
            xytext=(5, -3),
            textcoords="offset points",
            size=8,
            color=_LINE,
            va="top",
        )


def _limits(values: list[float]) -> tuple[float, float]:
    """Limits around the values, except for the 1 in 400 at each end that would flatten the rest."""
    ordered = sorted(value for value in values if math.isfinite(value))
    if not ordered:
        raise ValueError("there is nothing to draw: every value is null, infinite or not a number")
    spare = len(ordered) // _WILD
    low, high = ordered[spare], ordered[-1 - spare]
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    # A value that is never negative gets no negative axis.
    return max(low - margin, 0.0) if low >= 0 else low - margin, high + margin
