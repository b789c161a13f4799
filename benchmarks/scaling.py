"""How time grows with size: a power law fitted on logarithms, and the table of a run's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
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
from benchmarks.metrics import features
from benchmarks.records import Run
from benchmarks.tables import MISSING, as_text, number, with_interval

LEAST_SIZES = 3  #: numbers of cells in a corpus, for its growth to be told
_TABLE_RESAMPLES = 2_000  # two decimals of an interval need no more, and there are many rows


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


def growth_table(run: Run, judged: pd.DataFrame) -> pd.DataFrame:
    """Time against the number of cells, as text: a row a corpus of boards of LEAST_SIZES sizes, question and solver.

    judged: `benchmarks.metrics.scores(run)`. `Exponent`: e in seconds ~ cells^e over the positions that were answered,
    with an interval of 95 % by resampled games if they are of LEAST_SIZES sizes too. `Largest cells`: the largest size
    of which any position was answered, then the median time there.
    """
    known, sizes = features(run)["cells"], _sizes(run)
    rows = judged[judged["corpus"].isin(sizes.index[sizes >= LEAST_SIZES])]
    places = pd.MultiIndex.from_frame(rows[["corpus", "entry"]].astype(str))
    rows = rows.assign(cells=known.reindex(places).to_numpy())
    table = []
    for (corpus, question, solver), mine in rows.groupby(["corpus", "question", "solver"], observed=True):
        names = {"Corpus": str(corpus), "Question": str(question), "Strategy": str(solver)}
        table.append({**names, **_growth_row(mine)})
    return as_text(table)


def _sizes(run: Run) -> pd.Series[int]:
    """How many numbers of cells the boards of a corpus have, by its name."""
    return features(run)["cells"].groupby(level="corpus").nunique()


def growth_notes(run: Run) -> list[str]:
    """How to read the table, if there is one."""
    if not len(run.records) or _sizes(run).max() < LEAST_SIZES:
        return []
    return [
        "Growth: the exponent e in time ~ cells^e, fitted to the positions that were answered, in brackets an interval "
        f"of 95 % by a bootstrap over games, if {LEAST_SIZES} sizes were answered. Sizes of a corpus may differ in "
        "more than their cells."
    ]


def _growth_row(mine: pd.DataFrame) -> dict[str, str]:
    answered = mine[mine["answered"] & (mine["total"] > 0)]
    found = growth(answered["cells"], answered["total"] / 1e9, answered["game"].tolist(), resamples=_TABLE_RESAMPLES)
    if answered["cells"].nunique() < LEAST_SIZES:  # of two points every resample has the same slope
        found = replace(found, low=math.nan, high=math.nan)
    largest = answered[answered["cells"] == answered["cells"].max()]
    outcomes = mine["outcome"].value_counts()
    failures = {"Timeouts": "timeout", "Memory": "memory", "Crashes": "crashed", "Errors": "error"}
    return {
        "Exponent": with_interval(found.exponent, found.low, found.high, _exponent),
        "Answered": f"{len(answered):,}",
        **{heading: f"{outcomes.get(name, 0):,}" for heading, name in failures.items()},
        "Unsupported": f"{outcomes.get('unsupported', 0):,}",
        "Largest cells": f"{largest['cells'].iloc[0]:,}" if len(largest) else MISSING,
        "Median there µs": number(float(largest["total"].median()) / 1000),
    }


def _exponent(value: float) -> str:
    return MISSING if math.isnan(value) else f"{value:z.2f}"
