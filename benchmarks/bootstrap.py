"""Intervals: Wilson's for shares, and the clustered bootstrap for ratios of sums over positions.

Positions of one game are not independent, so a resample draws whole games (Field and Welsh, Bootstrapping
clustered data, Journal of the Royal Statistical Society B, 2007). The corpora of a run are fixed by whoever ran
it, so each game is replaced by one of its own corpus: a stratified resample (Davison and Hinkley, Bootstrap
Methods and their Application, 1997, section 3.2). Everything is computed from sums a game: a resample is a
vector of how often each game was drawn, times these sums.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from solvers import Unsupported

RESAMPLES = 10_000
_BLOCK = 2_000_000  #: weights held at once
_NAN = math.nan

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; both ends are nan where there is nothing to estimate it from."""

    low: float
    high: float


UNKNOWN = Interval(_NAN, _NAN)


def library(name: str) -> Any:
    """The module `name` of a library that only statistics need. Unsupported if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        needed = name.partition(".")[0]
        raise Unsupported(f"this statistic needs {needed}: pip install 'sapper[report]'") from None


def check_confidence(confidence: float) -> None:
    """ValueError unless 0 < confidence < 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence!r}")


def wilson(found: int, total: int, confidence: float = 0.95) -> Interval:
    """The score interval of a share, found / total independent cases (Wilson, JASA, 1927). nan for a total of 0.

    Raises ValueError unless 0 <= found <= total.

    >>> wilson(0, 0)
    Interval(low=nan, high=nan)
    """
    check_confidence(confidence)
    if not 0 <= found <= total:
        raise ValueError(f"a share needs 0 <= found <= total, not {found!r} of {total!r}")
    if total == 0:
        return UNKNOWN
    proportion = library("statsmodels.stats.proportion")
    low, high = proportion.proportion_confint(found, total, alpha=1 - confidence, method="wilson")
    return Interval(float(low), float(high))


@dataclass(frozen=True, slots=True)
class Games:
    """The games that rows belong to.

    of_row: (rows,) the number of each row's game; strata: (games,) the number of each game's stratum.
    """

    of_row: Integers
    strata: Integers

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Games:
        """The games of a frame with the columns `corpus` and `game`: one a pair of these, in the order they appear.

        A stratum is a corpus. If a corpus has a single game, which has nothing to be replaced by, all games are
        one stratum: the interval is then too wide rather than too narrow.
        """
        corpus = pd.factorize(frame["corpus"].astype(object))[0].astype(np.int64)
        game = pd.factorize(frame["game"].astype(object))[0].astype(np.int64)
        of_row, known = pd.factorize(corpus * (int(game.max(initial=0)) + 1) + game)
        strata = np.zeros(len(known), np.int64)
        strata[of_row] = corpus
        if (np.bincount(strata) == 1).any():
            strata[:] = 0
        return cls(of_row.astype(np.int64), strata)

    def sums(self, *columns: ArrayLike) -> Floats:
        """(games, columns): each column, one number a row, summed over the rows of a game."""
        sums = np.zeros((len(self.strata), len(columns)))
        for j, column in enumerate(columns):
            weights = np.asarray(column, np.float64)
            sums[:, j] = np.bincount(self.of_row, weights=weights, minlength=len(self.strata))
        return sums


def totals(sums: Floats, strata: Integers, *, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """(resamples, columns): the totals of (games, columns) sums in each resample of the games."""
    if resamples < 1:
        raise ValueError(f"at least 1 resample is needed, not {resamples!r}")
    rng = np.random.default_rng(seed)
    found = np.zeros((resamples, sums.shape[1]))
    for stratum in range(int(strata.max(initial=-1)) + 1):
        _add_drawn(sums[strata == stratum], rng, found)
    return found


def _add_drawn(sums: Floats, rng: np.random.Generator, found: Floats) -> None:
    """Add the totals of one stratum to every resample."""
    n = len(sums)
    kinds, counts = np.unique(sums, axis=0, return_counts=True)
    few = 6 * len(kinds) < n  # a binomial number costs about six times as much as drawing a game and counting it
    size = max(1, _BLOCK // max(1, len(kinds) if few else n))
    for start in range(0, len(found), size):
        block = found[start : start + size]
        if few:
            block += rng.multinomial(n, counts / n, size=len(block)).astype(np.float64) @ kinds
        else:
            weights = np.empty((len(block), n))
            for row, drawn in zip(weights, rng.integers(0, n, weights.shape), strict=True):
                row[:] = np.bincount(drawn, minlength=n)
            block += weights @ sums


def percentiles(samples: Floats, confidence: float) -> Interval:
    """The percentile interval of a resampled statistic (Efron and Tibshirani, 1993), leaving out what is nan."""
    known = samples[~np.isnan(samples)]
    if not known.size:
        return UNKNOWN
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def ratio_intervals(
    numerators: Floats,
    denominators: Floats,
    strata: Integers,
    *,
    bounds: Sequence[tuple[float, float] | None],
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """The interval of sum(numerator) / sum(denominator), a column each; all columns share their resamples.

    Parameters
    ----------
    numerators, denominators: (games, columns), sums a game. A game with a denominator of 0 has no part.
    bounds: for each column the smallest and largest value that a ratio can have, None if there is none.

    Fewer than two games: nan. Where the ratio is the same in every game (all found everything), every resample
    says the same, and the bootstrap's interval would be a point, however few games there are. For a bounded
    ratio r the interval is then what it would be if a share u of the games had the worst other value: from
    r - u (r - lowest) to r + u (highest - r), u being Wilson's upper end for 0 of so many games (about 3.8 / n
    for 95 %; compare the rule of three, Hanley and Lippman-Hand, JAMA, 1983).
    """
    check_confidence(confidence)
    drawn = totals(np.hstack([numerators, denominators]), strata, resamples=resamples, seed=seed)
    over, under = np.hsplit(drawn, 2)
    samples = np.divide(over, under, out=np.full_like(over, _NAN), where=under != 0)
    intervals = []
    for j, limits in enumerate(bounds):
        counted = denominators[:, j] != 0
        ratios = numerators[counted, j] / denominators[counted, j]
        if ratios.size < 2:
            intervals.append(UNKNOWN)
        elif limits is not None and ratios.min() == ratios.max():
            share, ratio = wilson(0, ratios.size, confidence).high, float(ratios[0])
            intervals.append(Interval(ratio - share * (ratio - limits[0]), ratio + share * (limits[1] - ratio)))
        else:
            intervals.append(percentiles(samples[:, j], confidence))
    return intervals
