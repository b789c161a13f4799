"""How many clues do cells need, and what does each strategy find of those that need so many?

Made of the records of the strategy `explanation` (:mod:`solvers.explained`), whose stats tell the size of a smallest
set of clues of every entailed cell, and of what the other strategies of the same run claimed.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.records import Record, Run
from benchmarks.tables import as_text, number, percent
from solvers.explained import read_clues

NAME = "explanation"
MOST = 6  #: clues that have a column of their own; the last one also holds what needs more
_PLACE = ["corpus", "question", "entry"]


def explained_cells(run: Run) -> pd.DataFrame:
    """A row an entailed cell that was explained.

    Columns: `corpus`, `question`, `entry`, `cell`, `mine`, `clues`, `mine_count`, `smallest`.
    clues: the size of its set, the mine count included. Of several explaining strategies the first counts.
    """
    rows: list[tuple[Any, ...]] = []
    for record in _explaining(run):
        cells = sorted([*((cell, False) for cell in record.safe), *((cell, True) for cell in record.mines)])
        found = read_clues(str(record.stats["clues"]))
        rows += [(*_place(record), *cell, *sizes) for cell, sizes in zip(cells, found, strict=False)]
    return pd.DataFrame(rows, columns=[*_PLACE, "cell", "mine", "clues", "mine_count", "smallest"])


def _explaining(run: Run) -> list[Record]:
    label = next((s["label"] for s in run.header["solvers"] if s["label"].partition(":")[0] == NAME), None)
    if label is None:
        return []
    return [record for record in run.records if record.solver == label and "clues" in record.stats]


def _place(record: Record) -> tuple[str, str, str]:
    return record.corpus, record.question, record.entry


def clues_table(run: Run) -> pd.DataFrame:
    """A row a corpus, question and value, as text: how many cells need how many clues, and how long that took."""
    cells = explained_cells(run)
    if not len(cells):
        return as_text([])
    spent: dict[tuple[str, str], list[float]] = {}
    for record in _explaining(run):
        if record.stats["explained"]:
            spent.setdefault((record.corpus, record.question), []).append(
                float(record.stats["explain_nanoseconds"]) / float(record.stats["explained"])
            )
    table = []
    for corpus, question, mine in product(run.corpora, run.header["questions"], (False, True)):
        here = cells[(cells["corpus"] == corpus) & (cells["question"] == question) & (cells["mine"] == mine)]
        if not len(here):
            continue
        line = {"Corpus": corpus, "Question": question, "Value": "mine" if mine else "safe", "Cells": f"{len(here):,}"}
        line |= {f"{clue_words(n)} %": percent(float((_capped(here) == n).mean())) for n in range(1, MOST + 1)}
        line["With mine count %"] = percent(float(here["mine_count"].mean()))
        line["Most"] = str(here["clues"].max())
        line["Proved smallest %"] = percent(float(here["smallest"].mean()))
        table.append(line | {"ms a cell": number(float(np.median(spent[corpus, question])) / 1e6)})
    return as_text(table)


def clue_words(clues: int) -> str:
    """So many clues, in words.

    >>> clue_words(1), clue_words(6)
    ('1 clue', '6+ clues')
    """
    return "1 clue" if clues == 1 else f"{clues}{'+' if clues == MOST else ''} clues"


def _capped(cells: pd.DataFrame) -> pd.Series[int]:
    return cells["clues"].clip(upper=MOST)


def found_by_clues(run: Run) -> pd.DataFrame:
    """What each strategy found of the cells that need so many clues: a row a question, strategy and number of clues.

    Columns: `question`, `solver`, `clues` (MOST stands for more, too), `cells` that need so many in the positions that
    the solver was asked about, `found`. Failures found nothing.
    """
    cells = explained_cells(run)
    cells["clues"] = _capped(cells)
    by_place = {place: (here["cell"].to_numpy(), here["clues"].to_numpy()) for place, here in cells.groupby(_PLACE)}
    records = run.records if by_place else []  # of which there may be a hundred thousand
    counts: dict[tuple[str, str], np.ndarray[Any, np.dtype[np.int64]]] = {}
    for record in records:
        place = _place(record)
        if place not in by_place or record.solver.partition(":")[0] == NAME:
            continue
        where, clues = by_place[place]
        claimed = np.isin(where, (*record.safe, *record.mines)) if record.status else np.zeros(len(where), bool)
        table = counts.setdefault((record.question, record.solver), np.zeros((2, MOST + 1), np.int64))
        np.add.at(table[0], clues, 1)
        np.add.at(table[1], clues[claimed], 1)
    rows = [
        (question, solver["label"], clues, *counts[question, solver["label"]][:, clues])
        for question in run.header["questions"]
        for solver in run.header["solvers"]
        if (question, solver["label"]) in counts
        for clues in range(1, MOST + 1)
    ]
    return pd.DataFrame(rows, columns=["question", "solver", "clues", "cells", "found"])


def found_table(run: Run) -> pd.DataFrame:
    """The same as text: a row a question and strategy, a column a number of clues, in per cent."""
    found = found_by_clues(run)
    table = []
    for (question, solver), rows in found.groupby(["question", "solver"], sort=False):
        line = {"Question": str(question), "Strategy": str(solver)}
        for row in rows.to_dict("records"):
            line[f"{clue_words(row['clues'])} %"] = percent(row["found"] / row["cells"] if row["cells"] else np.nan)
        table.append(line)
    return as_text(table)


def explanation_notes(run: Run) -> list[str]:
    """How to read both tables, if there are any."""
    if not _explaining(run):
        return []
    return [
        "Clues needed: of every entailed cell that was explained the least number of clues that entail it, the mine "
        "count being one of them where it is asked for; each set was checked by counting in a problem of its own. ms a "
        "cell: the time for all cells of a position, safe ones and mines, divided by them, median over the positions. "
        "Found by clues needed: what share of the cells that need so many clues a strategy found."
    ]
