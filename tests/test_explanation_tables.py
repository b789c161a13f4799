"""The strategy `explanation`, and the tables and the figure that are made of its records."""

import json

import numpy as np
import pytest
from samples import replace

from benchmarks import compare
from benchmarks.clue_figures import missed_by_clues
from benchmarks.document import document
from benchmarks.explanation_tables import clues_table, explained_cells, explanation_notes, found_by_clues, found_table
from benchmarks.records import Run
from board import Problem
from solvers import Status, make_solver
from solvers.explained import Explained, read_clues
from solvers.explanation import explain_all

RUN = compare(["single", "counting", "explanation"], "beginner-stuck", limit=6)


def test_answer_is_that_of_counting_and_names_every_cell():
    for entry in RUN.corpora["beginner-stuck"].entries[:6]:
        for problem in (entry.position.problem(), entry.position.problem().local()):
            answer = Explained().deduce(problem)
            assert answer == make_solver("counting").deduce(problem)
            sizes = read_clues(answer.stats["clues"])
            assert sizes == [(e.size, e.mine_count, e.smallest) for e in explain_all(problem)]
            assert len(sizes) == answer.safe.sum() + answer.mines.sum() == answer.stats["explained"]


def test_only_the_first_cells():
    problem = Problem.from_sets([({0}, 1), ({1}, 0), ({2, 3}, 2)], n=4)
    few = Explained(cells=2).deduce(problem)
    assert (few.stats["explained"], few.stats["clues"]) == (2, "1 1")
    assert few == Explained(cells=0).deduce(problem)
    assert Explained(cells=0).deduce(problem).stats["explained"] == 4


def test_nothing_to_explain():
    assert Explained().deduce(Problem.from_sets([({0, 1}, 3)], n=2)).status is Status.INCONSISTENT
    open_question = Explained().deduce(Problem.from_sets([({0, 1}, 1)], n=2))
    assert (open_question.stats["explained"], open_question.stats["clues"]) == (0, "")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"cells": -1}, "cells is at least 0, not -1"), ({"smallest": 1}, "smallest is true or false, not 1")],
)
def test_bad_parameter(parameters, message):
    with pytest.raises(ValueError, match=message):
        Explained(**parameters)


def test_tables_count_the_cells():
    cells = explained_cells(RUN)
    records = [record for record in RUN.records if record.solver == "explanation"]
    assert len(cells) == sum(len(record.safe) + len(record.mines) for record in records)
    assert cells["mine"].sum() == sum(len(record.mines) for record in records)
    for record in records:
        here = cells[(cells["question"] == record.question) & (cells["entry"] == record.entry)]
        assert here[here["mine"]]["cell"].tolist() == list(record.mines)
        assert here[~here["mine"]]["cell"].tolist() == list(record.safe)
    table = clues_table(RUN)
    assert set(table["Value"]) <= {"safe", "mine"}
    shares = [float(cell.strip("<>–") or 0) for cell in table.filter(regex=r"clues? %").to_numpy().ravel()]
    assert sum(shares) == pytest.approx(100 * len(table), abs=0.1 * len(shares))
    assert sum(int(cell.replace(",", "")) for cell in table["Cells"]) == len(cells)


def test_found_is_by_clues():
    """All that single finds without the mine count has one clue each, and it finds all of that."""
    found = found_by_clues(RUN).set_index(["question", "solver", "clues"]).sort_index()
    cells = explained_cells(RUN)
    for question in ("local", "global"):
        here = cells[cells["question"] == question]
        assert found.loc[question, "counting"]["cells"].sum() == len(here)
        assert (found.loc[question, "counting"]["found"] == found.loc[question, "counting"]["cells"]).all()
    single = found.loc["local", "single"]
    assert single.loc[1, "found"] == single.loc[1, "cells"] == (cells[cells["question"] == "local"]["clues"] == 1).sum()
    assert found_table(RUN)["Strategy"].tolist() == ["single", "counting"] * 2


def test_failures_find_nothing():
    lost = [
        replace(r, outcome="timeout", status=None, safe=(), mines=(), extract_nanoseconds=(), solve_nanoseconds=())
        if r.solver == "counting"
        else r
        for r in RUN.records
    ]
    found = found_by_clues(Run(RUN.header, lost, RUN.corpora, None))
    assert not found[found["solver"] == "counting"]["found"].any()


def test_a_run_without_explanations_has_none():
    run = compare(["single"], "beginner-stuck", limit=2)
    assert not len(clues_table(run))
    assert not len(found_table(run))
    assert explanation_notes(run) == []
    assert missed_by_clues(run) is None


def test_document_and_figure():
    text = document(RUN)
    assert "Clues needed" in text
    assert "Found by clues needed" in text
    figure = missed_by_clues(RUN)
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows == ["single"]
    assert "global" in figure.axes[0].get_xlabel()
    assert np.isfinite(figure.get_size_inches()).all()


@pytest.mark.parametrize(
    "stats",
    [
        {"clues": "2 x", "explained": 2, "explain_nanoseconds": 5},
        {"clues": 7, "explained": 1, "explain_nanoseconds": 5},
        {"clues": "2 2", "explained": 3, "explain_nanoseconds": 5},
        {"clues": "2 2 2", "explained": 3, "explain_nanoseconds": 5},
        {"clues": "2 2", "explained": "2", "explain_nanoseconds": 5},
        {"clues": "2 0", "explained": 2, "explain_nanoseconds": 5},
        {"clues": "2 2", "explained": 2, "explain_nanoseconds": "x"},
        {"explained": 2, "explain_nanoseconds": 5},
    ],
)
def test_damaged_sizes_are_no_record(stats):
    from benchmarks.records import Record

    fields = ("explanation", "c", "e", "g", "local", "complete", "complete", (1,), (2,), (1,), (1,), "")
    good = Record(*fields, {"clues": "2 3*~", "explained": 2, "explain_nanoseconds": 5})
    assert Record.from_json(good.to_json()) == good
    assert Record("mine", *fields[1:], stats).stats == stats  # another solver's words are its own
    line = good.to_json().replace(json.dumps(dict(good.stats), separators=(",", ":")), json.dumps(stats))
    with pytest.raises(ValueError, match=r"not a record: .*the stats have"):
        Record.from_json(line)
