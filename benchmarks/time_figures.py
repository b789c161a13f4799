"""Figures of time: how many positions are solved in it, one solver against another, and its growth with the board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.metrics import features
from benchmarks.records import FAILURES, Run
from benchmarks.styling import (
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

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    rows, question = asked_rows(judged, question)
    rows = rows[~rows["nothing_entailed"]]
    solved = rows[rows["solved"]]
    if solved.empty:
        return None
    positions = len(rows[["corpus", "entry"]].drop_duplicates())
    figure, axes = new_figure(f"Positions solved against time per position, {question} question", 2.5)
    handles, names = [], []
    for order, name, mine in by_solver(rows):
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
    axes.set(xlabel=f"positions solved, of {positions:,}", ylabel=TIME, xlim=(0, 1.03 * positions))
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
def time_scatter(
    judged: pd.DataFrame, one: str, two: str, question: str | None = None, limit_seconds: float | None = None
) -> Figure | None:
    """The time of each position with one solver against that with another; ×10 lines beside the diagonal.

    Where a solver failed, its point lies on a border line, at the limit of the run if there was one. Positions
    that one of the solvers does not take are left out.

    one, two: labels of solvers; ValueError for one that the run does not have.
    """
    rows, question = asked_rows(judged, question)
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
    _guides(axes, border if failed else None)
    _clouds(figure, axes, times.fillna(border))
    axes.set(xlabel=f"{names[one]}\n{TIME}", ylabel=f"{names[two]}\n{TIME}", aspect="equal")
    return figure


def _times(rows: pd.DataFrame, solver: str) -> pd.Series[float]:
    """Seconds by (corpus, entry), nan where there was no answer, without what the solver does not take."""
    known = list(rows["solver"].cat.categories)
    if solver not in known:
        raise ValueError(f"no solver {solver!r} in this run; it has {', '.join(known)}")
    mine = rows[(rows["solver"] == solver) & (rows["answered"] | rows["outcome"].isin(FAILURES))]
    return mine.set_index(["corpus", "entry"])["total"] / 1e9


def _guides(axes: Axes, border: float | None) -> None:
    """The diagonal and a tenth and ten times of it; the border lines of failures, if there were any."""
    span = np.array(axes.get_xlim())
    axes.plot(span, span, color="0.4", linewidth=0.8, zorder=1)
    for factor in (0.1, 10.0):
        axes.plot(span, factor * span, color="0.6", linewidth=0.6, linestyle=(0, (4, 2)), zorder=1)
    top = 0.99 * span[1]
    axes.annotate("×10", (top / 10, top), (-10, -8), textcoords="offset points", fontsize=6.5, color="0.4", ha="right")
    if border is not None:
        for line in (axes.axvline, axes.axhline):
            line(border, color="0.4", linewidth=0.8, linestyle=(0, (1, 1)), zorder=1)
        axes.annotate("no answer", (0, border), (2, 2), ("axes fraction", "data"), "offset points", fontsize=7)


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
def growth(run: Run, judged: pd.DataFrame, question: str | None = None) -> Figure | None:
    """Time against the number of cells; None unless boards are of several sizes.

    A point is the median of a size, its bar from quartile to quartile; the line is fitted to the logarithms of all
    positions by least squares, and its slope e, as in time ~ cells^e, is in the legend. Sizes may differ
    in more than their cells, such as density: it is a description of these corpora.
    """
    from matplotlib.lines import Line2D

    rows, question = asked_rows(judged, question)
    rows = rows[rows["answered"] & (rows["total"] > 0)].copy()
    rows["cells"] = features(run)["cells"].reindex(places(rows)).to_numpy()
    if rows["cells"].nunique() < 2:
        return None
    figure, axes = new_figure(f"Time per position against number of cells, {question} question", 2.5)
    handles, names, drawn_times = [], [], []
    for order, name, mine in by_solver(rows):
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
            slope = f", e = {e:z.2f}"
        names.append(name + slope)
    time_axis(axes, "y", np.concatenate(drawn_times))
    axes.set(xscale="log", xlabel="cells; time ~ cells^e", ylabel=TIME)
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
