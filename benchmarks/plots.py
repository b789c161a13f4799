"""Figures of a run, each a pure function of it or of its judged records: `matplotlib.figure.Figure` or None.

None means that the run has nothing to show in that figure. A solver has the same colour, marker and dashes in
all figures of a run. No figure belongs to pyplot or changes its settings. Of two questions a figure shows the
global one unless told otherwise. Everything here needs matplotlib, and raises `solvers.Unsupported` without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from benchmarks.clue_figures import missed_by_clues
from benchmarks.figure_output import save, svg_text
from benchmarks.metrics import PEER, limit_seconds, scores, summarise
from benchmarks.recall_figures import FEATURES, pareto, recall_by, recall_matrix
from benchmarks.records import Run
from benchmarks.styling import asked_rows
from benchmarks.sweep_figures import sweep, swept_names
from benchmarks.time_figures import cactus, growth, time_scatter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "all_figures",
    "cactus",
    "growth",
    "missed_by_clues",
    "pareto",
    "recall_by",
    "recall_matrix",
    "save",
    "svg_text",
    "sweep",
    "time_scatter",
]


MOST_SOLVERS = 16  #: that a figure tells apart


def all_figures(run: Run, judged: pd.DataFrame | None = None, question: str | None = None) -> dict[str, Figure]:
    """The figures in which this run has something to show, by name; a name can be that of a file.

    Times are compared of the two strategies that find the most, the faster first among equals; instead of the
    second, of the peer, if it was run. Of more than MOST_SOLVERS strategies those that claimed something false
    and then those that find the most are shown, but in the figures of swept parameters.

    judged: `scores(run)`, if it is at hand.
    """
    judged = scores(run) if judged is None else judged
    ranked = _ranked(asked_rows(judged, question)[0])
    few = len(ranked) <= MOST_SOLVERS
    chosen = sorted(ranked, key=lambda label: not ranked[label])[:MOST_SOLVERS]  # liars first, the others as they are
    shown = judged if few else judged[judged["solver"].isin(chosen)]
    figures = {"pareto": pareto(shown, question), "cactus": cactus(shown, question)}
    figures["recall_matrix"] = recall_matrix(shown, question)
    for feature in FEATURES:
        figures[f"recall_by_{feature}"] = recall_by(run, shown, feature, question)
    figures["missed_by_clues"] = missed_by_clues(run, question)
    pair = _most_telling_pair(list(ranked))
    if pair:
        figures["time_scatter"] = time_scatter(judged, pair[0], pair[1], question, limit_seconds(run))
    figures["growth"] = growth(run, shown, question)
    for name, figure in figures.items():
        if figure is not None and not few and name != "time_scatter":
            figure.set_label(f"{figure.get_label()}; {MOST_SOLVERS} of {len(ranked)} strategies")
    for number, name in enumerate(swept_names(run), 1):
        figures[f"sweep_{number}"] = sweep(run, judged, name, question)
    return {name: figure for name, figure in figures.items() if figure is not None}


def _ranked(rows: pd.DataFrame) -> dict[str, bool]:
    """Label -> whether it claimed something false, of the solvers that answered: the best first, liars last."""
    ranked = []
    for _, mine in rows.groupby("solver", observed=True):
        found = summarise(mine)
        if found["total_median_us"] > 0:
            rank = (found["wrong"] > 0, -np.nan_to_num(found["safe_recall"]), found["total_median_us"])
            ranked.append((*rank, str(mine["solver"].iloc[0])))
    return {label: bool(wrong) for wrong, *_, label in sorted(ranked)}


def _most_telling_pair(labels: Sequence[str]) -> list[str]:
    """The first and, of solvers that are ranked, the peer or else the second; none if there are fewer."""
    peers = [label for label in labels[1:] if label.partition(":")[0] == PEER]
    return [labels[0], [*peers, *labels[1:]][0]] if len(labels) > 1 else []
