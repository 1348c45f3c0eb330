"""Time for a row against the length of the frame, an engine a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines import CLICKHOUSE, DATAFUSION, DUCKDB, FLOOR, PANDAS, POLARS, SEGMENT_TREE, SLIDEWISE, SPARK
from record import Group, Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = {
    SPARK: "#c0392b",
    SEGMENT_TREE: "#e59866",
    SLIDEWISE: "#1f618d",
    DUCKDB: "#c9a400",
    POLARS: "#8e6bbf",
    PANDAS: "#7f8c8d",
    DATAFUSION: "#3d9970",
    CLICKHOUSE: "#a0522d",
}
_MARKERS = {DUCKDB: "s", POLARS: "D", PANDAS: "v", DATAFUSION: "^", CLICKHOUSE: "P"}
_TITLES = {
    "sum over rows": "sum(x) over the last n rows",
    "max over rows": "max(x) over the last n rows",
    "sum over range": "sum(x) over a range of about n rows",
}


def draw(groups: dict[str, Group], into: Path) -> None:
    shown = _of_one_commit([groups[name] for name in _TITLES if name in groups])
    if not shown:
        return
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, len(shown), figsize=(max(7.5, 5.4 * len(shown)), 4.9), sharey=True, squeeze=False
    )
    for panel, group in zip(panels[0], shown, strict=True):
        _panel(panel, group)
    panels[0][0].set_ylabel("microseconds a row, whole query")
    lines = {label: h for panel in panels[0] for h, label in zip(*panel.get_legend_handles_labels(), strict=True)}
    columns = 3 if len(shown) == 1 else 5
    figure.legend(lines.values(), lines.keys(), loc="lower center", ncols=columns, frameon=False, fontsize=9)
    figure.tight_layout(rect=(0, 0.17 if len(shown) == 1 else 0.13, 1, 1))
    into.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(into, dpi=150)


def _of_one_commit(groups: list[Group]) -> list[Group]:
    """Those of the newest measurement's state of the operator: others say nothing beside it."""
    newest = max((g.where for g in groups), key=lambda where: str(where["date"]), default={"commit": None})
    return [g for g in groups if g.where["commit"] == newest["commit"]]


def _panel(panel: Axes, group: Group) -> None:
    for engine, colour in _COLOURS.items():
        whole = _points(group, engine, fewer=False)
        fewer = _points(group, engine, fewer=True) if engine == SPARK else []
        spark = engine not in _MARKERS
        width = 2.8 if engine == SLIDEWISE else 1.7 if spark else 1.0
        if whole:
            line: dict[str, Any] = {
                "color": colour,
                "linewidth": width,
                "label": engine,
                "markersize": 4.5 if spark else 4,
            }
            panel.plot(*zip(*whole, strict=True), marker=_MARKERS.get(engine, "o"), **line)
        if whole and fewer:
            panel.plot(*zip(whole[-1], fewer[0], strict=True), "--", color=colour, linewidth=1.2)
        if fewer:
            note = f"{engine}, on fewer rows"
            panel.plot(
                *zip(*fewer, strict=True),
                "o",
                markerfacecolor="white",
                color=colour,
                markersize=5.5,
                label=note,
                zorder=5,
            )
    floor = next((m for m in group.measurements if m.engine == FLOOR), None)
    if floor:
        panel.axhline(_micros(floor), color="#444444", linestyle=":", linewidth=1.3, label="Spark's row_number()")
    panel.set(xscale="log", yscale="log", xlabel="rows in a frame (n)", title=_TITLES[group.name])
    panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.tick_params(labelsize=8)
    panel.yaxis.set_major_formatter("{x:,g}")
    panel.grid(alpha=0.25, which="major")
    panel.spines[["top", "right"]].set_visible(False)


def _points(group: Group, engine: str, fewer: bool) -> list[tuple[int, float]]:
    chosen = [m for m in group.measurements if m.engine == engine and (m.rows < m.rows_of_case) == fewer]
    return sorted((m.length, _micros(m)) for m in chosen)


def _micros(measurement: Measurement) -> float:
    return measurement.median / measurement.rows * 1e6
