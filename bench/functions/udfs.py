"""Functions over the values of a frame, as users write them with pandas where Spark has none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd


def frame_ewma(x: pd.Series) -> float:
    return float(x.ewm(alpha=0.1).mean().iloc[-1])


def frame_twa(t: pd.Series, x: pd.Series) -> float:
    dt = np.diff(t)
    return float((x.to_numpy()[:-1] * dt).sum() / dt.sum()) if len(dt) else float(x.iloc[-1])


def frame_increase(x: pd.Series) -> float | None:
    steps = np.diff(x)
    return float(np.where(steps < 0, x.to_numpy()[1:], steps).sum()) if len(steps) else None


def frame_rate(t: pd.Series, x: pd.Series) -> float | None:
    grown = frame_increase(x)
    return None if grown is None else grown / float(t.iloc[-1] - t.iloc[0])


def frame_rise(x: pd.Series) -> float:
    return _run(np.diff(x) > 0)


def frame_fall(x: pd.Series) -> float:
    return _run(np.diff(x) < 0)


def _run(goes_on: np.ndarray) -> float:
    return float(np.diff(np.flatnonzero(np.concatenate(([0], goes_on, [0])) == 0)).max())


def frame_classes(x: pd.Series) -> float:
    return float(x.groupby(x % 2).agg(["count", "mean", "var"]).sum().sum())


UDFS: list[Callable[..., float | None]] = [
    frame_ewma,
    frame_twa,
    frame_increase,
    frame_rate,
    frame_rise,
    frame_fall,
    frame_classes,
]
