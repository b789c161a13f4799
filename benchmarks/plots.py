"""Figures of a run, each a pure function of it or of its judged records: `matplotlib.figure.Figure` or None.

None means that the run has nothing to show in that figure. A solver has the same colour, marker and dashes in
all figures of a run. No figure belongs to pyplot or changes its settings. Of two questions a figure shows the
global one unless told otherwise. Everything here needs matplotlib, and raises `solvers.Unsupported` without.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.metrics import PEER, features, limit_seconds, scores, summarise
from benchmarks.records import FAILURES, Run
from benchmarks.styling import (
    drawn,
    legend_below,
    look,
    new_figure,
    place_labels,
    save,
    short_names,
    svg_text,
    time_axis,
)
from benchmarks.tables import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "all_figures",
    "cactus",
    "growth",
    "pareto",
    "recall_by",
    "recall_matrix",
    "save",
    "svg_text",
    "time_scatter",
]

FEATURES = {"density": "mines per cell (%)", "opened_share": "cells that are open (%)"}

_TIME = "time per position"
_MOST_BINS = 6
_MOST_CORPORA = 6  #: that are told apart by their markers
_MOST_VECTORS = 2000  #: points; a cloud of more is an image
_LINE_POINTS = 300  #: of a line that has many more


@drawn
def cactus(judged: pd.DataFrame, question: str | None = None) -> Figure | None:
    """How many positions a solver solves, each within what time: the plot of the solver competitions.

    A line goes through (k, time of the k-th fastest position that was solved), and ends at the last one solved.
    Positions in which nothing is entailed are left out. The virtual best solver takes the fastest solver's time
    of each position.

    judged: the rows of `benchmarks.metrics.scores`.
    """
    rows, question = _asked(judged, question)
    rows = rows[~rows["nothing_entailed"]]
    solved = rows[rows["solved"]]
    if solved.empty:
        return None
    positions = len(rows[["corpus", "entry"]].drop_duplicates())
    figure, axes = new_figure(f"Positions solved against time per position, {question} question", 2.5)
    handles, names = [], []
    for order, name, mine in _by_solver(rows):
        times = np.sort(mine.loc[mine["solved"], "total"].to_numpy()) / 1e9
        kept = _kept(len(times))
        marked = np.searchsorted(kept, np.linspace(0.04 * (order % 5), 1, 7) * (len(times) - 1))
        marks = sorted({int(mark) for mark in marked}) if len(times) else []
        handles += axes.plot(kept + 1, times[kept], markevery=marks, **look(order).line)
        names.append(name)
    if len(handles) > 1:
        best = np.sort(solved.groupby(["corpus", "entry"], observed=True)["total"].min().to_numpy()) / 1e9
        kept = _kept(len(best))
        handles += axes.plot(kept + 1, best[kept], color="0.6", linewidth=2.2, zorder=1)
        names.append("virtual best")
    time_axis(axes, "y", solved["total"] / 1e9)
    axes.set(xlabel=f"positions solved, of {positions:,}", ylabel=_TIME, xlim=(0, 1.03 * positions))
    axes.grid(True)
    legend_below(figure, handles, names)
    return figure


def _kept(count: int) -> npt.NDArray[np.int64]:
    """Which of many points of a rising line to draw: every so many, and all the closer to its steep end."""
    if count <= 2 * _LINE_POINTS:
        return np.arange(count)
    even, late = np.linspace(0, count - 1, _LINE_POINTS), count - np.geomspace(1, count, _LINE_POINTS)
    return np.unique(np.concatenate([even, late]).astype(np.int64))


@drawn
def pareto(judged: pd.DataFrame, question: str | None = None) -> Figure | None:
    """Pooled safe recall against the median time of the positions answered, and the front of the best of both.

    Solvers are named beside their points; if there is no room, they are numbered in the order of the run. One
    that claimed something false is marked "wrong", and is not on the front.
    """
    rows, question = _asked(judged, question)
    found = []
    for order, name, mine in _by_solver(rows):
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
    axes.set(ylim=(low - room, 100 + 2 * room), xlabel=f"median {_TIME}", ylabel=_recall_label(question))
    axes.set_yticks([tick for tick in axes.get_yticks() if low - room <= tick <= 100])
    axes.grid(True)
    front = _front(points[[not wrong for *_, wrong in found]])
    if len(front):
        times = np.repeat([*front[:, 0], axes.get_xlim()[1]], 2)[:-1]
        recalls = np.repeat([low - room, *front[:, 1]], 2)[1:]
        axes.plot(times, recalls, color="0.6", zorder=1)
    handles = [axes.plot(seconds, recall, **look(order).points)[0] for order, _, seconds, recall, _ in found]
    names = [name for _, name, *_ in found]
    if not place_labels(axes, points, names, 40):
        numbers = [str(order + 1) for order, *_ in found]
        legend_below(figure, handles, [f"{number}  {name}" for number, name in zip(numbers, names, strict=True)])
        place_labels(axes, points, numbers, 200)
    return figure


def _front(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Those of (time, recall) that no other beats, fastest first.

    >>> _front(np.array([[3, 90], [1, 50], [2, 90], [4, 80]])).tolist()
    [[1, 50], [2, 90]]
    """
    ordered = points[np.lexsort((-points[:, 1], points[:, 0]))]
    before = np.maximum.accumulate(np.concatenate([[-np.inf], ordered[:-1, 1]]))[: len(ordered)]
    return ordered[ordered[:, 1] > before]


@drawn
def time_scatter(
    judged: pd.DataFrame, one: str, two: str, question: str | None = None, limit_seconds: float | None = None
) -> Figure | None:
    """The time of each position with one solver against that with another; ×10 lines beside the diagonal.

    Where a solver failed, its point lies on a border line, at the limit of the run if there was one. Positions
    that one of the solvers does not take are left out.

    one, two: labels of solvers; ValueError for one that the run does not have.
    """
    rows, question = _asked(judged, question)
    times = pd.concat([_times(rows, one), _times(rows, two)], axis=1, join="inner", keys=["one", "two"])
    if not times.notna().any(axis=None):
        return None
    names = short_names(list(rows["solver"].cat.categories), 34)
    figure, axes = new_figure(f"Time per position, {names[one]} against {names[two]}, {question} question", 3.3)
    border = max(1.5 * float(np.nanmax(times)), limit_seconds or 0)
    failed = bool(times.isna().any(axis=None))
    ends = np.array([float(np.nanmin(times)), border if failed else float(np.nanmax(times))])
    for which in ("x", "y"):
        time_axis(axes, which, ends, margin=0.08)
    span = np.array(axes.get_xlim())
    axes.plot(span, span, color="0.4", linewidth=0.8, zorder=1)
    for factor in (0.1, 10.0):
        axes.plot(span, factor * span, color="0.6", linewidth=0.6, linestyle=(0, (4, 2)), zorder=1)
    top = 0.99 * span[1]
    axes.annotate("×10", (top / 10, top), (-10, -8), textcoords="offset points", fontsize=6.5, color="0.4", ha="right")
    if failed:
        axes.axvline(border, color="0.4", linewidth=0.8, linestyle=(0, (1, 1)), zorder=1)
        axes.axhline(border, color="0.4", linewidth=0.8, linestyle=(0, (1, 1)), zorder=1)
        axes.annotate("no answer", (0, border), (2, 2), ("axes fraction", "data"), "offset points", fontsize=7)
    _clouds(figure, axes, times.fillna(border))
    axes.set(xlabel=f"{names[one]}\n{_TIME}", ylabel=f"{names[two]}\n{_TIME}", aspect="equal")
    return figure


def _times(rows: pd.DataFrame, solver: str) -> pd.Series[float]:
    """Seconds by (corpus, entry), nan where there was no answer, without what the solver does not take."""
    known = list(rows["solver"].cat.categories)
    if solver not in known:
        raise ValueError(f"no solver {solver!r} in this run; it has {', '.join(known)}")
    mine = rows[(rows["solver"] == solver) & (rows["answered"] | rows["outcome"].isin(FAILURES))]
    return mine.set_index(["corpus", "entry"])["total"] / 1e9


def _clouds(figure: Figure, axes: Axes, times: pd.DataFrame) -> None:
    """A point a position; the corpora by markers, if they are few."""
    corpora = times.index.get_level_values("corpus").astype(str)
    groups = list(dict.fromkeys(corpora))
    how: dict[str, Any] = {"alpha": 0.6, "markersize": 3, "rasterized": len(times) > _MOST_VECTORS}
    if len(groups) > _MOST_CORPORA:
        axes.plot(times["one"], times["two"], **look(0).points | how)
        return
    handles = []
    for order, group in enumerate(groups):
        mine = times[corpora == group]
        handles += axes.plot(mine["one"], mine["two"], **look(order).points | how)
    legend_below(figure, handles, list(short_names(groups).values()))


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
    rows, question = _asked(judged, question)
    rows = rows[rows["safe_entailed"] > 0].copy()
    places = pd.MultiIndex.from_frame(rows[["corpus", "entry"]].astype(str))
    kinds = _bins(features(run)[feature].reindex(places.unique()))
    rows["kind"] = kinds.reindex(places).to_numpy()
    if len(kinds.cat.categories) < 2 or not rows["answered"].any():
        return None
    figure, axes = new_figure(f"Safe recall by {feature.replace('_', ' ')}, {question} question", 2.5)
    handles, names = [], []
    solvers = list(_by_solver(rows))
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
def growth(run: Run, judged: pd.DataFrame, question: str | None = None) -> Figure | None:
    """Time against the number of cells; None unless boards are of several sizes.

    A point is the median of a size, its bar from quartile to quartile; the line is fitted to the logarithms of all
    positions by least squares, and its slope e, as in time ~ cells^e, is in the legend. Sizes may differ
    in more than their cells, such as density: it is a description of these corpora.
    """
    from matplotlib.lines import Line2D

    rows, question = _asked(judged, question)
    rows = rows[rows["answered"] & (rows["total"] > 0)].copy()
    places = pd.MultiIndex.from_frame(rows[["corpus", "entry"]].astype(str))
    rows["cells"] = features(run)["cells"].reindex(places).to_numpy()
    if rows["cells"].nunique() < 2:
        return None
    figure, axes = new_figure(f"Time per position against number of cells, {question} question", 2.5)
    handles, names, drawn_times = [], [], []
    for order, name, mine in _by_solver(rows):
        quartiles = mine.groupby("cells")["total"].quantile(np.array([0.25, 0.5, 0.75])).unstack() / 1e9
        drawn_times.append(quartiles.to_numpy().ravel())
        sizes = quartiles.index.to_numpy(dtype=float)
        axes.vlines(sizes, quartiles[0.25], quartiles[0.75], look(order).colour, linewidth=0.8)
        axes.plot(sizes, quartiles[0.5], **look(order).points)
        handles.append(Line2D([], [], **look(order).line))
        slope = ""
        if len(sizes) > 1:
            e, at_one = np.polyfit(np.log(mine["cells"]), np.log(mine["total"] / 1e9), 1)
            axes.plot(sizes, np.exp(at_one) * sizes**e, **look(order).line | {"marker": "", "linewidth": 0.8})
            slope = f", e = {e:.2f}"
        names.append(name + slope)
    time_axis(axes, "y", np.concatenate(drawn_times))
    axes.set(xscale="log", xlabel="cells; time ~ cells^e", ylabel=_TIME)
    known = np.unique(rows["cells"])
    axes.set_xticks(shown := known[_spaced(np.log(known))], [f"{size:,}" for size in shown])
    axes.set_xticks([], minor=True)
    axes.grid(True)
    legend_below(figure, handles, names)
    return figure


def _spaced(places: npt.NDArray[np.float64]) -> list[int]:
    """Which of ascending places to label, so that labels keep apart: the first, then any a tenth of them farther."""
    kept = [0]
    for index in range(1, len(places)):
        if places[index] - places[kept[-1]] > 0.1 * (places[-1] - places[0]):
            kept.append(index)
    return kept


@drawn
def recall_matrix(judged: pd.DataFrame, question: str | None = None) -> Figure | None:
    """Pooled safe recall in per cent, a row a corpus, a column a solver; the darker, the more was found."""
    rows, question = _asked(judged, question)
    found = _recalls(rows, ["corpus", "solver"])["recall"].unstack().dropna(axis=1, how="all")
    if found.empty:
        return None
    names = short_names(list(rows["solver"].cat.categories))
    columned = [names[label] for label in found.columns]
    rowed = list(short_names(list(found.index), 30).values())
    slant = 0.045 * max(map(len, columned))  # inches, of the longest name, up and to the right
    width = 0.38 * len(columned) + 0.075 * max(map(len, rowed)) + 0.2 + slant
    height = 0.2 * len(rowed) + 0.3 + slant
    figure, axes = new_figure(f"Safe recall by corpus and solver, {question} question", height, width)
    shares = found.to_numpy() / 100
    axes.pcolormesh(np.ma.masked_invalid(shares), cmap="Blues", vmin=0, vmax=1.1, edgecolors="white", linewidth=0.8)
    how: dict[str, Any] = {"fontsize": 6.5, "ha": "center", "va": "center_baseline"}
    for (row, column), share in np.ndenumerate(shares):  # from 0.78 on, white is read better than black
        axes.text(column + 0.5, row + 0.5, percent(share), color="white" if share > 0.78 else "black", **how)
    axes.set_xticks(np.arange(len(columned)) + 0.5, columned, rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(rowed)) + 0.5, rowed)
    axes.invert_yaxis()
    axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(_recall_label(question))
    return figure


def all_figures(run: Run, judged: pd.DataFrame | None = None, question: str | None = None) -> dict[str, Figure]:
    """The figures in which this run has something to show, by name; a name can be that of a file.

    Times are compared of the two strategies that find the most, the faster first among equals; instead of the
    second, of the peer, if it was run.

    judged: `scores(run)`, if it is at hand.
    """
    judged = scores(run) if judged is None else judged
    figures = {"pareto": pareto(judged, question), "cactus": cactus(judged, question)}
    figures["recall_matrix"] = recall_matrix(judged, question)
    for feature in FEATURES:
        figures[f"recall_by_{feature}"] = recall_by(run, judged, feature, question)
    pair = _most_telling_pair(_asked(judged, question)[0])
    if pair:
        figures["time_scatter"] = time_scatter(judged, pair[0], pair[1], question, limit_seconds(run))
    figures["growth"] = growth(run, judged, question)
    return {name: figure for name, figure in figures.items() if figure is not None}


def _most_telling_pair(rows: pd.DataFrame) -> list[str]:
    """Two labels of solvers; none if fewer answered. One that claimed something false comes after all others."""
    ranked = []
    for _, mine in rows.groupby("solver", observed=True):
        found = summarise(mine)
        if found["total_median_us"] > 0:
            rank = (found["wrong"] > 0, -np.nan_to_num(found["safe_recall"]), found["total_median_us"])
            ranked.append((*rank, str(mine["solver"].iloc[0])))
    labels = [label for *_, label in sorted(ranked)]
    peers = [label for label in labels[1:] if label.partition(":")[0] == PEER]
    return [labels[0], (peers + labels[1:])[0]] if len(labels) > 1 else []


def _asked(judged: pd.DataFrame, question: str | None) -> tuple[pd.DataFrame, str]:
    """The rows of a question, and which it is if it was not told. ValueError if it was not asked."""
    asked = list(judged["question"].cat.categories)
    chosen = question or ("global" if "global" in asked else asked[0])
    if chosen not in asked:
        raise ValueError(f"question {chosen!r} was not asked; the run has {', '.join(asked)}")
    flags = dict.fromkeys(("answered", "solved", "nothing_entailed"), bool)  # without a record they have no type
    return judged[judged["question"] == chosen].astype(flags), chosen


def _recalls(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Sums of `safe_found` and `safe_entailed` by group, and their `recall` in per cent: nan without an answer."""
    sums = rows.groupby(by, observed=True)[["safe_found", "safe_entailed", "answered"]].sum()
    known = (sums["answered"] > 0) & (sums["safe_entailed"] > 0)
    return sums.assign(recall=(100 * sums["safe_found"] / sums["safe_entailed"]).where(known))


def _by_solver(rows: pd.DataFrame) -> Iterator[tuple[int, str, pd.DataFrame]]:
    """(number in the run, name, its rows) of each solver that answered something."""
    labels = list(rows["solver"].cat.categories)
    names = short_names(labels)
    for order, label in enumerate(labels):
        mine = rows[rows["solver"] == label]
        if mine["answered"].any():
            yield order, names[label], mine


def _recall_label(question: str) -> str:
    return f"safe recall, {question} question (%)"
