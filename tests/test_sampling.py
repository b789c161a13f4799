"""Samples are models, and all models come equally often."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from problems import problems, systems
from scipy.stats import chisquare
from shared_data import corpora, problem_of

from board import COVERED, Layout, Position, Problem
from solvers import Unsupported
from solvers.counting import Counting

COUNTING = Counting()


def all_models(problem):
    """bool[models, n]: every assignment of the covered cells, tried."""
    covered = np.flatnonzero(problem.covered)
    tried = np.zeros((2**covered.size, problem.n), np.bool_)
    tried[:, covered] = list(itertools.product([False, True], repeat=covered.size))
    return tried[fits(problem, tried)]


def fits(problem, assignments):
    """bool[rows]: which rows are models."""
    good = ~assignments[:, ~problem.covered].any(axis=1)
    for clue in problem.constraints:
        good &= assignments[:, sorted(clue.scope)].sum(axis=1) == clue.total
    if problem.mines is not None:
        good &= assignments.sum(axis=1) == problem.mines
    return good


def p_value(problem, samples):
    """Of the chi-square test that all models are equally likely."""
    models = all_models(problem)
    assert len(models) > 1
    number = {row.tobytes(): i for i, row in enumerate(models)}
    seen = np.bincount([number[row.tobytes()] for row in samples], minlength=len(models))
    return chisquare(seen).pvalue


def board(*rows, mines=None):
    return Position.parse(rows, mines=mines).problem()


UNIFORM = {
    "components and a mine count": board("#1#1#_#1#1#", "___________", "####_______", mines=4),
    "components of several splits": Problem.from_sets(
        [({0, 1, 2}, 1), ({2, 3}, 1), ({4, 5}, 1), ({5, 6, 7}, 2), ({8, 9, 10, 11}, 2)], n=12, mines=6
    ),
    "boxes of several cells": Problem.from_sets([(range(5), 2), (range(3, 8), 3)], n=8),
    "boxes of several cells, counted": Problem.from_sets([(range(5), 2), (range(3, 8), 3)], n=8, mines=4),
    "untouched cells": board("1#####", "##__##", mines=3),
    "untouched cells, local": board("1####", "##___"),
    "only untouched cells": Problem.from_sets([], n=8, mines=3),
    "only untouched cells, local": Problem.from_sets([], n=6),
    "hypergraph": Problem.from_sets([({0, 1, 2, 3}, 2), ({0, 4, 5, 6}, 2), ({1, 4, 7}, 1), ({2, 5, 7}, 1)], n=9),
    "hypergraph, counted": Problem.from_sets(
        [({0, 1, 2, 3}, 2), ({0, 4, 5, 6}, 2), ({1, 4, 7}, 1), ({3, 6, 8}, 1)], n=11, mines=5
    ),
    "settled cells": Problem.from_sets([({0, 1}, 2), ({2}, 0), ({1, 2, 3, 4}, 2)], n=8, mines=5, covered=range(7)),
}


@pytest.mark.parametrize("name", UNIFORM)
def test_every_model_is_equally_likely(name):
    problem = UNIFORM[name]
    samples = COUNTING.sample(problem, 20_000, 1)
    assert p_value(problem, samples) > 1e-4


@pytest.mark.parametrize("name", ["components and a mine count", "hypergraph", "untouched cells"])
def test_wide_numbers_are_equally_likely(name):
    """1,000 further cells, all in a clue that leaves their mines no choice but one, bring exponents in."""
    small = UNIFORM[name]
    clues = [*small.constraints, (range(small.n, small.n + 1000), 1)]
    wide = Problem.from_sets(
        clues,
        n=small.n + 1000,
        mines=None if small.mines is None else small.mines + 1,
        covered=[*np.flatnonzero(small.covered), *range(small.n, small.n + 1000)],
    )
    samples = COUNTING.sample(wide, 20_000, 2)
    assert p_value(small, samples[:, : small.n]) > 1e-4
    places = np.flatnonzero(samples[:, small.n :])
    assert chisquare(np.bincount(places % 1000 // 50, minlength=20)).pvalue > 1e-4


def test_samples_are_independent():
    """Pairs of samples, one after the other, are as likely as every other pair."""
    problem = board("#1#1#", mines=1)
    three = Problem.from_sets([({0, 1, 2}, 1)], n=4, mines=2)
    assert len(all_models(problem)) == 1
    places = COUNTING.sample(three, 20_000, 3)[:, :3].argmax(axis=1)
    assert chisquare(np.bincount(3 * places[::2] + places[1::2], minlength=9)).pvalue > 1e-4


@settings(max_examples=300)
@given(problems())
def test_samples_are_models(problem):
    models = all_models(problem)
    if not len(models):
        with pytest.raises(ValueError, match="there is no model to draw: no arrangement of"):
            COUNTING.sample(problem, 1, 0)
        return
    samples = COUNTING.sample(problem, 10, 0)
    assert fits(problem, samples).all()
    assert {row.tobytes() for row in samples} <= {row.tobytes() for row in models}


@settings(max_examples=30)
@given(systems())
def test_samples_beside_many_cells_are_models(problem):
    """Over 1,000 cells the weights are wide numbers."""
    beside = 1200
    covered = np.concatenate([problem.covered, np.ones(beside, np.bool_)])
    mines = None if problem.mines is None else problem.mines + beside // 3
    wide = Problem(covered, problem.indptr, problem.cells, problem.totals, mines)
    try:
        samples = COUNTING.sample(wide, 10, 0)
    except ValueError:
        assert COUNTING.marginals(wide).models == 0
        return
    assert fits(wide, samples).all()


def errors(problem, samples):
    """For each cell that is not entailed, by how many standard errors its share of mines misses the marginal."""
    truth = COUNTING.marginals(problem).probability
    shares = samples.mean(axis=0)
    assert (shares[~problem.covered] == 0).all()
    assert (shares[truth == 0] == 0).all()
    assert (shares[truth == 1] == 1).all()
    unsure = (truth > 0) & (truth < 1)
    truth, shares = truth[unsure], shares[unsure]
    return (shares - truth) / np.sqrt(truth * (1 - truth) / len(samples))


@pytest.mark.parametrize("question", ["local", "global"])
def test_shares_approach_the_marginals(question):
    entries = [e for name, e in corpora().items() if name.startswith("expert")][::30]
    missed = []
    for entry in entries:
        problem = problem_of(entry)
        if question == "local":
            problem = problem.local()
        samples = COUNTING.sample(problem, 20_000, 4)
        assert fits(problem, samples[:500]).all()
        missed.append(np.abs(errors(problem, samples)))
    assert len(np.concatenate(missed)) > 500
    assert max(m.max() for m in missed if m.size) < 5.5
    assert np.mean([m.mean() for m in missed if m.size]) < 1.1  # 0.8 is expected


@pytest.mark.parametrize("question", ["local", "global"])
def test_a_position_of_3600_cells(question):
    """Every weight is a wide number."""
    layout = Layout.random(60, 60, 700, 5)
    opened = (np.random.default_rng(6).random((60, 60)) < 0.3) & ~layout.mines
    problem = Position(np.where(opened, layout.clues, COVERED), 700).problem()
    assert problem.covered.sum() > 2000
    if question == "local":
        problem = problem.local()
    samples = COUNTING.sample(problem, 300, 7)
    assert fits(problem, samples).all()
    assert 0.9 < np.sqrt((errors(problem, samples) ** 2).mean()) < 1.1


def test_a_huge_box():
    problem = Problem.from_sets([(range(5000), 2000)], n=5001, mines=2001)
    samples = COUNTING.sample(problem, 50, 8)
    assert fits(problem, samples).all()
    halves = samples[:, :2500].sum(axis=1)
    assert abs(halves.mean() - 1000) < 15  # a standard error is 2.4


def test_the_seed_decides():
    problem = UNIFORM["components and a mine count"]
    once = COUNTING.sample(problem, 50, 9)
    assert (once == COUNTING.sample(problem, 50, 9)).all()
    assert (once == COUNTING.sample(problem, 50, np.random.default_rng(9))).all()
    assert (once == Counting(exact=True).sample(problem, 50, 9)).all()
    assert (once != COUNTING.sample(problem, 50, 10)).any()
    assert (once[:20] == COUNTING.sample(problem, 20, 9)).all()


def test_a_generator_goes_on():
    problem = UNIFORM["components and a mine count"]
    rng = np.random.default_rng(9)
    halves = [COUNTING.sample(problem, 25, rng) for _ in range(2)]
    assert (np.concatenate(halves) == COUNTING.sample(problem, 50, 9)).all()
    other = np.random.Generator(np.random.MT19937(9))
    assert fits(problem, COUNTING.sample(problem, 50, other)).all()


def test_what_comes_back():
    problem = Problem.from_sets([({0, 2}, 1)], n=5, covered=[0, 2, 4])
    samples = COUNTING.sample(problem, np.int64(7), 0)
    assert (samples.shape, samples.dtype) == ((7, 5), np.bool_)
    assert not samples.flags.writeable
    assert not samples[:, [1, 3]].any()
    assert COUNTING.sample(problem, 0, 0).shape == (0, 5)


@pytest.mark.parametrize(
    ("problem", "model"),
    [
        (board("00", mines=0), [0, 0]),
        (board("00"), [0, 0]),
        (board("####", mines=0), [0, 0, 0, 0]),
        (board("####", mines=4), [1, 1, 1, 1]),
        (board("1#_#", mines=2), [0, 1, 0, 1]),
        (board("1#_#", mines=1), [0, 1, 0, 0]),
        (Problem.from_sets([], n=0), []),
        (Problem.from_sets([], n=0, mines=0), []),
        (Problem.from_sets([], n=3, covered=[]), [0, 0, 0]),
        (Problem.from_sets([(range(1200), 1200)], n=1300, mines=1300), [1] * 1300),
        (Problem.from_sets([({0, 1}, 1), ({1, 2}, 1)], n=3, mines=2), [1, 0, 1]),
    ],
)
def test_the_only_model(problem, model):
    assert COUNTING.sample(problem, 3, 0).astype(int).tolist() == [model] * 3


@pytest.mark.parametrize("k", [0, 2])
@pytest.mark.parametrize("mines", [5, 10**30])
def test_too_many_mines(mines, k):
    with pytest.raises(ValueError, match=f"no arrangement of {mines} mines fits the clues"):
        COUNTING.sample(Problem.from_sets([({0, 1}, 1)], n=4, mines=mines), k, 0)


@pytest.mark.parametrize("k", [0, 2])
@pytest.mark.parametrize(
    "problem",
    [
        Problem.from_sets([({0, 1}, 3)], n=2),
        Problem.from_sets([({0, 1}, 1), ({1, 2}, 1), ({0, 2}, 1)], n=3),
        board("**#", mines=1),
        Problem.from_sets([({0, 1}, 1), ({1, 2}, 1)], n=3, mines=0),
        board("00", mines=1),
    ],
)
def test_no_model(problem, k):
    with pytest.raises(ValueError, match="there is no model to draw"):
        COUNTING.sample(problem, k, 0)


def test_over_the_budget():
    problem = board("#1#1#1#", "#######", "#2#1#1#", mines=4)
    with pytest.raises(Unsupported, match="more memory than max_bytes=200"):
        Counting(max_bytes=200).sample(problem, 1, 0)


@pytest.mark.parametrize(("k", "told"), [(-1, "-1"), (1.5, "1.5"), (True, "True"), ("2", "'2'"), (None, "None")])
def test_how_many_is_an_integer(k, told):
    with pytest.raises(ValueError, match=f"^k is .*not {told}$"):
        COUNTING.sample(board("##", mines=1), k, 0)
