"""A figure of explanations: what each incomplete strategy misses, by the number of clues that a cell needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.explanation_tables import clue_words, found_by_clues
from benchmarks.recall_figures import draw_shares
from benchmarks.records import Run
from benchmarks.styling import COLUMN_INCHES, drawn, new_figure, short_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@drawn
def missed_by_clues(run: Run, question: str | None = None) -> Figure | None:
    """The share of the cells that a strategy misses, in per cent: a row a strategy, a column a number of clues.

    The darker, the more is missed. Strategies that miss nothing are left out. None where nothing is missed, or where
    the clues are not known (:mod:`benchmarks.explanation_tables`). Of two questions the global one unless told
    otherwise.
    """
    found = found_by_clues(run)
    asked = [known for known in ("local", "global") if (found["question"] == known).any()]
    if not asked:
        return None
    question = asked[-1] if question not in asked else question
    found = found[(found["question"] == question) & (found["cells"] > 0)]
    cells = found.groupby("clues")["cells"].max()
    missed = (1 - found["found"] / found["cells"]).to_frame("missed").join(found[["solver", "clues"]])
    table = missed.pivot(index="solver", columns="clues", values="missed").loc[list(dict.fromkeys(missed["solver"]))]
    labels = [
        s["label"] for s in run.header["solvers"] if s["label"] in table.index and (table.loc[s["label"]] > 0).any()
    ]
    if not labels:
        return None
    rows = list(short_names(labels).values())
    columns = [f"{clue_words(clues)}\nn={count:,}" for clues, count in zip(cells.index, cells, strict=True)]
    width = max(COLUMN_INCHES, 0.55 * len(columns) + 0.075 * max(map(len, rows)) + 0.3)
    title = f"Missed by the number of clues that a cell needs, {question} question"
    figure, axes = new_figure(title, 0.2 * len(rows) + 0.6, width)
    draw_shares(axes, table.loc[labels].to_numpy(np.float64), rows, columns, slanted=False)
    axes.set_xlabel(f"cells missed, {question} question (%)")
    return figure
