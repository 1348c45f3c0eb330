"""Draws a column over time, a panel for each group."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from slidewise._plot import _picture, _points

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pyspark.sql import DataFrame

__all__ = ["Picture", "plot"]


@dataclass(frozen=True)
class Picture:
    """A picture that notebooks show, with the Matplotlib figure that drew it."""

    figure: Figure

    def save(self, path: str | Path) -> None:
        """Writes the picture as a PNG, and creates the folder if it does not exist."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(self._repr_png_())

    def _repr_png_(self) -> bytes:
        png = io.BytesIO()
        self.figure.savefig(png, format="png", facecolor="white", pil_kwargs={"optimize": True})
        return png.getvalue()


def plot(df: DataFrame, time: str, value: str, group: str | None = None) -> Picture:
    """Draws the column `value` over `time`, with one panel for each of the 16 largest groups of the column `group`.

    `time` is a date, a timestamp or a number, `value` a number. Spark averages the values over 400 equal spans of time,
    so that the driver collects at most 6,400 rows, whatever the size of the DataFrame. A gap of more than five median
    steps breaks the line. The DataFrame is evaluated three times: cache it if that takes long.

    Works on classic and Connect sessions. Needs Matplotlib, and changes none of its settings.

    >>> import slidewise
    >>> from pyspark.sql import SparkSession
    >>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    >>> picture = slidewise.plot(spark.range(100).selectExpr("id", "sin(id / 9) AS x"), "id", "x")
    >>> picture.save("sine.png")
    """
    check(df, time, value, group)
    return picture_of(df, time, value, group)


def check(
    df: DataFrame,
    time: str,
    value: str,
    group: str | None,
    names: tuple[str, str, str] = ("time", "value", "group"),
) -> None:
    """Raises `ValueError` for columns that cannot be drawn, and `ImportError` without Matplotlib, before a query runs.

    `names` are those of the arguments in the errors."""
    _picture.require_matplotlib()
    _points.check(df, dict(zip(names, (time, value, group))))


def picture_of(df: DataFrame, time: str, value: str, group: str | None) -> Picture:
    """The picture of columns that `check` has accepted."""
    by = f", by {group}" if group else ""
    return Picture(_picture.draw(_points.series_of(df, time, value, group), f"{value}{by}", f"over {time}", value))
