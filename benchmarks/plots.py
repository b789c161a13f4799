"""Figures of a run, each a pure function of it or of its judged records: `matplotlib.figure.Figure` or None.

None means that the run has nothing to show in that figure. A solver has the same colour, marker and dashes in
all figures of a run. No figure belongs to pyplot or changes its settings. Of two questions a figure shows the
global one unless told otherwise. Everything here needs matplotlib, and raises `solvers.Unsupported` without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from benchmarks.figure_output import save, svg_text
from benchmarks.metrics import PEER, limit_seconds, scores, summarise
from benchmarks.recall_figures import FEATURES, pareto, recall_by, recall_matrix
from benchmarks.records import Run
from benchmarks.styling import asked_rows
from benchmarks.time_figures import cactus, growth, time_scatter

if TYPE_CHECKING:
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
    pair = _most_telling_pair(asked_rows(judged, question)[0])
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
