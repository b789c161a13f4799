"""How time grows with size: a power law fitted on logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.bootstrap import (
    RESAMPLES,
    UNKNOWN,
    Floats,
    Games,
    Interval,
    check_confidence,
    library,
    percentiles,
    totals,
)


@dataclass(frozen=True, slots=True)
class Growth:
    """seconds = coefficient * size ** exponent, fitted to n points; low, high: interval of the exponent."""

    exponent: float
    low: float
    high: float
    coefficient: float
    r_squared: float
    n: int


def growth(
    sizes: ArrayLike,
    seconds: ArrayLike,
    games: Sequence[Any] | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Growth:
    """How time grows with size: least squares on the logarithms of both.

    games: which points are not independent, for example (corpus, game). With it the interval is a percentile
    interval of resampled games, which supposes nothing about how the errors are spread: for many positions.
    Without it the points are independent, and it is the t-interval of least squares, which supposes normal
    errors of equal size on the logarithms and holds for few points too: for a mean a size.

    nan for fewer than two distinct sizes; an interval of nan for two points or one game. The coefficient is in
    seconds, `r_squared` is nan where all times are equal.

    Raises ValueError for a size or a time that is not positive and for arrays of unequal length.
    """
    check_confidence(confidence)
    x, y = (_logarithms(name, values) for name, values in (("size", sizes), ("time", seconds)))
    if x.size != y.size or (games is not None and len(games) != x.size):
        lengths = [x.size, y.size, *([] if games is None else [len(games)])]
        raise ValueError(f"sizes, times and games are of unequal length: {', '.join(map(str, lengths))}")
    if np.unique(x).size < 2:
        return Growth(math.nan, math.nan, math.nan, math.nan, math.nan, x.size)
    x_mean, y_mean = float(x.mean()), float(y.mean())
    x, y = x - x_mean, y - y_mean
    exponent = float(x @ y / (x @ x))
    residual, variation = float(((y - exponent * x) ** 2).sum()), float(y @ y)
    if games is None:
        interval = _t_interval(exponent, residual, x, confidence)
    else:
        interval = _resampled_exponent(x, y, games, confidence, resamples, seed)
    fitted = 1 - residual / variation if variation > 0 else math.nan
    return Growth(exponent, interval.low, interval.high, math.exp(y_mean - exponent * x_mean), fitted, x.size)


def _logarithms(name: str, values: ArrayLike) -> Floats:
    numbers = np.asarray(values, np.float64).reshape(-1)
    bad = numbers[~(np.isfinite(numbers) & (numbers > 0))]
    if bad.size:
        raise ValueError(f"a {name} is a positive number, not {float(bad[0])!r}")
    return np.asarray(np.log(numbers), np.float64)


def _t_interval(exponent: float, residual: float, x: Floats, confidence: float) -> Interval:
    freedom = x.size - 2
    if freedom == 0:
        return UNKNOWN
    quantile = float(library("scipy.stats").t.ppf((1 + confidence) / 2, freedom))
    half = quantile * math.sqrt(residual / freedom / float(x @ x))
    return Interval(exponent - half, exponent + half)


def _resampled_exponent(
    x: Floats, y: Floats, games: Sequence[Any], confidence: float, resamples: int, seed: int
) -> Interval:
    numbers: dict[Any, int] = {}
    of_row = np.array([numbers.setdefault(game, len(numbers)) for game in games], np.int64)
    if len(numbers) < 2:
        return UNKNOWN
    of_points = Games(of_row, np.zeros(len(numbers), np.int64))
    sums = of_points.sums(np.ones(x.size), x, y, x * x, x * y)
    n, sx, sy, sxx, sxy = totals(sums, of_points.strata, resamples=resamples, seed=seed).T
    spread = n * sxx - sx * sx
    # A resample of a single size has a spread of 0, but for rounding, and no slope.
    known = spread > 1e-9 * n * float(x @ x)
    slopes = np.divide(n * sxy - sx * sy, spread, out=np.full_like(n, np.nan), where=known)
    return percentiles(slopes, confidence)
