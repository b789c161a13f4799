"""Two solvers on the same positions: differences with intervals, and tests, made over games.

A game is (corpus, game). Where each position is from a game of its own, as in the bundled corpora, these are the
usual tests over positions; where a game gave several, they count it once, because its positions are not
independent.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from benchmarks.bootstrap import RESAMPLES, Floats, Games, Interval, check_confidence, library, ratio_intervals
from benchmarks.metrics import penalised

_EXACT = 25  #: from so many discordant games on McNemar's test is approximated


def pairwise(
    judged: pd.DataFrame,
    baseline: str,
    *,
    seed: int = 0,
    confidence: float = 0.95,
    limit_seconds: float | None = None,
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """Each solver against one of them, on the positions both were asked: one question's rows, a row a solver.

    Columns
    -------
    solver, baseline; positions, games: what both were asked.
    recall_difference, recall_low, recall_high: of the pooled safe recalls, the solver's minus the baseline's,
        with a paired interval (both are resampled together).
    only_solver, only_baseline: games, among the positions where something is entailed, of which this one solved
        more positions than the other. mcnemar_p: see `mcnemar`.
    timed: positions both answered. time_ratio, time_low, time_high: geometric mean of solver / baseline over
        these (Fleming and Wallace, CACM, 1986). wilcoxon_p: see `signed_rank`, of each game's mean log ratio.
    mcnemar_holm_p, wilcoxon_holm_p: the same, corrected for the number of solvers; each test is a family.
    par2_ratio, par2_low, par2_high: of the mean times, with twice the limit for every position that was not
        solved, so that failures count; nan without a limit.

    What cannot be estimated is nan: everything but the counts of positions and games if either answered none of
    the positions, an interval if there are fewer than two games.

    Raises ValueError for a baseline that is not there and for more than one question.
    """
    check_confidence(confidence)
    questions = judged["question"].unique()
    if len(questions) > 1:
        raise ValueError(f"rows of one question are needed, not of {', '.join(map(str, questions))}")
    known = list(judged["solver"].astype(object).unique())
    if baseline not in known:
        raise ValueError(f"unknown baseline {baseline!r}; known are {', '.join(known)}")
    games = Games.of(judged)
    rows = judged.assign(number=games.of_row)
    rows["penalised"] = np.nan if limit_seconds is None else penalised(judged, limit_seconds)
    base = rows[judged["solver"] == baseline]
    pairs = {name: _pair(rows[judged["solver"] == name], base, games) for name in known if name != baseline}
    if not pairs:
        return pd.DataFrame()
    found = ratio_intervals(
        np.hstack([pair.numerators for pair in pairs.values()]),
        np.hstack([pair.denominators for pair in pairs.values()]),
        games.strata,
        bounds=[(-1, 1), None, None] * len(pairs),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    table = pd.DataFrame(
        [
            {"solver": name, "baseline": baseline, **_row(pair, found[3 * i : 3 * i + 3])}
            for i, (name, pair) in enumerate(pairs.items())
        ]
    )
    return table.assign(**{f"{test}_holm_p": holm(table[f"{test}_p"]) for test in ("mcnemar", "wilcoxon")})


@dataclass(frozen=True, slots=True)
class _Pair:
    """A solver and the baseline on the positions both were asked.

    numerators, denominators: (games, 3), sums whose ratios are the difference of recalls, the mean log time
    ratio and the ratio of PAR-2. solved_more: (games where something is entailed,) positions that the solver
    solved minus those the baseline did.
    """

    positions: int
    games: int
    numerators: Floats
    denominators: Floats
    solved_more: Floats


def _pair(solver: pd.DataFrame, base: pd.DataFrame, games: Games) -> _Pair:
    both = solver.merge(base, on=["corpus", "entry"], suffixes=("", "_base"))
    positions, of_both = len(both), Games(both["number"].to_numpy(np.int64), games.strata)
    count = both["number"].nunique()
    if not (both["answered"].any() and both["answered_base"].any()):
        both = both.iloc[:0]  # nothing to compare
        of_both = Games(of_both.of_row[:0], games.strata)
    answered = (both["answered"] & both["answered_base"]).to_numpy(np.bool_)
    entailing = ~both["nothing_entailed"].to_numpy(np.bool_)
    sums = of_both.sums(
        both["safe_found"] - both["safe_found_base"],
        np.where(answered, log_times(both["total"]) - log_times(both["total_base"]), 0),
        both["penalised"].fillna(0),
        both["safe_entailed"],
        answered,
        both["penalised_base"].fillna(0),
        np.where(entailing, both["solved"].astype(int) - both["solved_base"].astype(int), 0),
        entailing,
    )
    return _Pair(positions, count, sums[:, :3], sums[:, 3:6], sums[sums[:, 7] > 0, 6])


def _row(pair: _Pair, intervals: Sequence[Interval]) -> dict[str, Any]:
    over, under = pair.numerators.sum(axis=0), pair.denominators.sum(axis=0)
    recall, log_ratio, par2 = (float(o / u) if u else math.nan for o, u in zip(over, under, strict=True))
    more, fewer = int((pair.solved_more > 0).sum()), int((pair.solved_more < 0).sum())
    timed = pair.denominators[:, 1] > 0
    return {
        "positions": pair.positions,
        "games": pair.games,
        "recall_difference": recall,
        "recall_low": intervals[0].low,
        "recall_high": intervals[0].high,
        "only_solver": more,
        "only_baseline": fewer,
        "mcnemar_p": mcnemar(more, fewer) if pair.solved_more.size else math.nan,
        "timed": int(under[1]),
        "time_ratio": math.exp(log_ratio),
        "time_low": math.exp(intervals[1].low),
        "time_high": math.exp(intervals[1].high),
        "wilcoxon_p": signed_rank(pair.numerators[timed, 1] / pair.denominators[timed, 1]),
        "par2_ratio": par2,
        "par2_low": intervals[2].low,
        "par2_high": intervals[2].high,
    }


def log_times(nanoseconds: pd.Series[float]) -> Floats:
    """Logarithms of times. No clock tells less than 1 ns from nothing, so a time of 0 counts as 1."""
    return np.asarray(np.log(nanoseconds.clip(lower=1)), np.float64)


def mcnemar(one: int, other: int) -> float:
    """The two-sided p-value of McNemar's test (Psychometrika, 1947) for two counts of discordant pairs.

    Below 25 in all it is the exact binomial test, from there on chi-squared with Edwards' continuity correction
    (Psychometrika, 1948). Without a discordant pair there is nothing against equality: 1.

    >>> mcnemar(0, 0), mcnemar(0, 5)
    (1.0, 0.0625)
    """
    if one + other == 0:
        return 1.0
    tables = library("statsmodels.stats.contingency_tables")
    exact = one + other < _EXACT
    return float(tables.mcnemar([[0, one], [other, 0]], exact=exact, correction=True).pvalue)


def signed_rank(differences: ArrayLike) -> float:
    """The two-sided p-value of Wilcoxon's signed-rank test (Biometrics Bulletin, 1945) that they lie around 0.

    Differences of 0 are left out, as Wilcoxon did; if there are no others it is 1, and nan for none at all.
    """
    values = np.asarray(differences, np.float64)
    if not values.size:
        return math.nan
    values = values[values != 0]
    if not values.size:
        return 1.0
    stats = library("scipy.stats")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # older versions warn of few values with ties
        return float(stats.wilcoxon(values).pvalue)


def holm(p_values: Sequence[float] | pd.Series[float]) -> list[float]:
    """p-values corrected for being one family (Holm, Scandinavian Journal of Statistics, 1979); nan stays nan.

    >>> holm([0.03, float("nan"), 0.01])
    [0.03, nan, 0.02]
    """
    values = np.asarray(p_values, np.float64)
    known = ~np.isnan(values)
    if known.any():
        values = values.copy()
        values[known] = library("statsmodels.stats.multitest").multipletests(values[known], method="holm")[1]
    return [float(value) for value in values]
