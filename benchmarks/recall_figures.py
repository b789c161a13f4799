"""Figures of recall: against time, by what the positions look like, by corpus."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.labels import place_labels
from benchmarks.metrics import features, summarise
from benchmarks.records import Run
from benchmarks.styling import (
    COLUMN_INCHES,
    TIME,
    asked_rows,
    by_solver,
    drawn,
    legend_below,
    look,
    new_figure,
    places,
    short_names,
    time_axis,
)
from benchmarks.tables import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEATURES = {"density": "mines per cell (%)", "opened_share": "cells that are open (%)"}
_MOST_BINS = 6


@drawn
def pareto(judged: pd.DataFrame, question: str | None = None) -> Figure | None:
    """Pooled safe recall against the median time of the positions answered, and the front of the best of both.

    Solvers are named beside their points; if there is no room, they are numbered in the order of the run. One
    that claimed something false is marked "wrong", and is not on the front.
    """
    rows, question = asked_rows(judged, question)
    found = []
    for order, name, mine in by_solver(rows):
        summary = summarise(mine)
        seconds, recall = summary["total_median_us"] / 1e6, 100 * summary["safe_recall"]
        if seconds > 0 and np.isfinite(recall):
            found.append((order, name + (" (wrong)" if summary["wrong"] else ""), seconds, recall, summary["wrong"]))
    if not found:
        return None
    figure, axes = new_figure(f"Safe recall against median time per position, {question} question", 2.6)
    points = np.array([(seconds, recall) for _, _, seconds, recall, _ in found])
    time_axis(axes, "x", points[:, 0], margin=0.2)
    low = points[:, 1].min()
    room = max(0.5, 0.12 * (100 - low))
    axes.set(ylim=(low - room, 100 + 2 * room), xlabel=f"median {TIME}", ylabel=_recall_label(question))
    axes.set_yticks([tick for tick in axes.get_yticks() if low - room <= tick <= 100])
    axes.grid(True)
    _draw_front(axes, _front(points[[not wrong for *_, wrong in found]]))
    handles = [axes.plot(seconds, recall, **look(order).points)[0] for order, _, seconds, recall, _ in found]
    names = [name for _, name, *_ in found]
    if not place_labels(axes, points, names, 40):
        numbers = [str(order + 1) for order, *_ in found]
        legend_below(figure, handles, [f"{number}  {name}" for number, name in zip(numbers, names, strict=True)])
        place_labels(axes, points, numbers, 200)
    return figure


def _draw_front(axes: Axes, front: npt.NDArray[np.float64]) -> None:
    """Its steps, from the lower edge of the axes to the right one."""
    if len(front):
        times = np.repeat([*front[:, 0], axes.get_xlim()[1]], 2)[:-1]
        recalls = np.repeat([axes.get_ylim()[0], *front[:, 1]], 2)[1:]
        axes.plot(times, recalls, color="0.6", zorder=1)


def _front(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Those of (time, recall) that no other beats, fastest first.

    >>> _front(np.array([[3, 90], [1, 50], [2, 90], [4, 80]])).tolist()
    [[1, 50], [2, 90]]
    """
    ordered = points[np.lexsort((-points[:, 1], points[:, 0]))]
    before = np.maximum.accumulate(np.concatenate([[-np.inf], ordered[:-1, 1]]))[: len(ordered)]
    return ordered[ordered[:, 1] > before]


@drawn
def recall_by(run: Run, judged: pd.DataFrame, feature: str, question: str | None = None) -> Figure | None:
    """Pooled safe recall of the positions of each kind: of some density, or so far open.

    Few distinct values are kinds of their own; more are divided into six parts of about as many positions. Below
    each stands how many positions it has in which a safe cell is entailed; a solver that answered none of them has
    no point there. Bars are intervals of 95 % (E. B. Wilson, Journal of the American Statistical Association, 1927)
    as if cells were independent: those of one position are not, so the bars are rather too short.

    feature: one of FEATURES; ValueError otherwise.
    """
    from statsmodels.stats.proportion import proportion_confint

    if feature not in FEATURES:
        raise ValueError(f"unknown feature {feature!r}; known are {', '.join(FEATURES)}")
    rows, question = asked_rows(judged, question)
    rows = rows[rows["safe_entailed"] > 0].copy()
    of_row = places(rows)
    kinds = _bins(features(run)[feature].reindex(of_row.unique()))
    rows["kind"] = kinds.reindex(of_row).to_numpy()
    if len(kinds.cat.categories) < 2 or not rows["answered"].any():
        return None
    figure, axes = new_figure(f"Safe recall by {feature.replace('_', ' ')}, {question} question", 2.5)
    handles, names = [], []
    solvers = list(by_solver(rows))
    for number, (order, name, mine) in enumerate(solvers):
        shift = (number + 0.5) / len(solvers) - 0.5
        parts = _recalls(mine, ["kind"]).reindex(kinds.cat.categories).dropna()
        low, high = proportion_confint(parts["safe_found"], parts["safe_entailed"], method="wilson")
        where = kinds.cat.categories.get_indexer(parts.index) + 0.7 * shift
        axes.vlines(where, 100 * low, 100 * high, look(order).colour, linewidth=0.8)
        handles += axes.plot(where, parts["recall"], **look(order).line | {"linewidth": 0.6})
        names.append(name)
    sizes = kinds.value_counts()
    ticks = [f"{kind}\nn={sizes[kind]:,}" for kind in kinds.cat.categories]
    axes.set_xticks(range(len(ticks)), ticks)
    axes.set(xlabel=FEATURES[feature], ylabel=_recall_label(question), xlim=(-0.5, len(ticks) - 0.5))
    axes.grid(True, axis="y")
    legend_below(figure, handles, names)
    return figure


def _bins(shares: pd.Series[float]) -> pd.Series[Any]:
    """The kind of each share, an ordered category named in per cent; nan has none.

    >>> _bins(pd.Series([0.2, 0.125, 0.2])).tolist()
    ['20.0', '12.5', '20.0']
    """
    values = (100 * shares).round(6)
    known = np.unique(values.dropna())
    if len(known) <= _MOST_BINS:
        texts = _different(known, 1)
        return values.map(dict(zip(known, texts, strict=True))).astype(pd.CategoricalDtype(texts, ordered=True))
    edges = np.unique(values.quantile(np.linspace(0, 1, _MOST_BINS + 1)).round(6))
    labels = [f"{low}–{high}" for low, high in pairwise(_different(edges, 0))]
    kinds: pd.Series[Any] = pd.cut(values, edges.tolist(), labels=labels, include_lowest=True)
    return kinds


def _different(values: npt.NDArray[np.float64], decimals: int) -> list[str]:
    """Numbers as texts with at least so many decimals, and as many as tell them apart."""
    texts = [f"{value:.{decimals}f}" for value in values]
    return texts if len(set(texts)) == len(texts) else _different(values, decimals + 1)


@drawn
def recall_matrix(judged: pd.DataFrame, question: str | None = None) -> Figure | None:
    """Pooled safe recall in per cent, a row a corpus, a column a solver; the darker, the more was found."""
    rows, question = asked_rows(judged, question)
    found = _recalls(rows, ["corpus", "solver"])["recall"].unstack().dropna(axis=1, how="all")
    if found.empty:
        return None
    names = short_names(list(rows["solver"].cat.categories))
    columned = [names[label] for label in found.columns]
    rowed = list(short_names(list(found.index), 30).values())
    slant = 0.045 * max(map(len, columned))  # inches, of the longest name, up and to the right
    width = max(COLUMN_INCHES, 0.38 * len(columned) + 0.075 * max(map(len, rowed)) + 0.2 + slant)
    height = 0.2 * len(rowed) + 0.3 + slant
    figure, axes = new_figure(f"Safe recall by corpus and solver, {question} question", height, width)
    shares = found.to_numpy() / 100
    draw_shares(axes, shares, rowed, columned, slanted=True)
    axes.set_xlabel(_recall_label(question))
    return figure


def draw_shares(
    axes: Axes, shares: npt.NDArray[np.float64], rows: Sequence[str], columns: Sequence[str], *, slanted: bool
) -> None:
    """A heat map of shares, float64[rows, columns], with numbers in per cent; nan is blank. slanted: column names."""
    axes.pcolormesh(np.ma.masked_invalid(shares), cmap="Blues", vmin=0, vmax=1.1, edgecolors="white", linewidth=0.8)
    how: dict[str, Any] = {"fontsize": 6.5, "ha": "center", "va": "center_baseline"}
    for (row, column), share in np.ndenumerate(shares):  # from 0.78 on, white is read better than black
        axes.text(column + 0.5, row + 0.5, percent(share), color="white" if share > 0.78 else "black", **how)
    names: dict[str, Any] = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, **names)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.invert_yaxis()
    axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)


def _recalls(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Sums of `safe_found` and `safe_entailed` by group, and their `recall` in per cent: nan without an answer."""
    sums = rows.groupby(by, observed=True)[["safe_found", "safe_entailed", "answered"]].sum()
    known = (sums["answered"] > 0) & (sums["safe_entailed"] > 0)
    return sums.assign(recall=(100 * sums["safe_found"] / sums["safe_entailed"]).where(known))


def _recall_label(question: str) -> str:
    return f"safe recall, {question} question (%)"
