"""Exact counting against plain enumeration, against itself in other number formats, and over its budget."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from problems import systems

from board import Position, Problem
from solvers import Status, make_solver
from solvers.counting import Counting

COUNTING = Counting()
EXACT = Counting(exact=True)


@settings(max_examples=600, suppress_health_check=[HealthCheck.too_slow])
@given(systems())
def test_equals_enumeration(problem):
    truth = make_solver("enumeration").marginals(problem)
    exact = EXACT.marginals(problem)
    assert (exact.models, exact.status) == (truth.models, truth.status)
    assert exact.fractions == truth.fractions
    floats = COUNTING.marginals(problem)
    assert floats.status is truth.status
    assert floats.log_models == pytest.approx(truth.log_models, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(floats.probability, truth.probability, rtol=1e-12)
    assert COUNTING.deduce(problem) == floats.deduction() == make_solver("enumeration").deduce(problem)


def disjoint_union(problem, cells):
    """The problem, and `cells` untouched ones beside it."""
    covered = np.concatenate([problem.covered, np.ones(cells, np.bool_)])
    mines = None if problem.mines is None else problem.mines + cells // 3
    return Problem(covered, problem.indptr, problem.cells, problem.totals, mines)


@settings(max_examples=60)
@given(systems())
def test_wide_numbers_equal_integers(problem):
    """Over 1,000 cells the floats carry exponents: the same answer as Python integers."""
    problem = disjoint_union(problem, 1200)
    exact, floats = EXACT.marginals(problem), COUNTING.marginals(problem)
    assert floats.status is exact.status
    np.testing.assert_allclose(floats.probability, exact.probability, rtol=1e-11)
    assert floats.log_models == pytest.approx(exact.log_models, rel=1e-12)
    assert COUNTING.deduce(problem) == exact.deduction()


@pytest.mark.parametrize("bits", [60, 64, 70, 200])
def test_states_of_any_width(bits):
    """A star of clues that all stay open until the last box: the key needs more than one word."""
    clues = bits // 2
    scopes = [({3 * i, 3 * i + 1, 3 * i + 2, 3 * clues}, 2) for i in range(clues)]
    problem = Problem.from_sets(scopes, n=3 * clues + 1, mines=None)
    marginals = EXACT.marginals(problem)
    assert marginals.models == 3**clues * 2
    assert marginals.fractions is not None
    assert marginals.fractions[3 * clues] == Fraction(1, 2)
    assert marginals.fractions[0] == Fraction(1, 2)


def test_one_huge_scope():
    """A single clue over 5,000 cells: one box, a binomial beyond any float."""
    problem = Problem.from_sets([(range(5000), 2000)], n=5001, mines=2001)
    marginals = EXACT.marginals(problem)
    assert marginals.models == math.comb(5000, 2000)
    floats = COUNTING.marginals(problem)
    assert floats.log_models == pytest.approx(math.log(math.comb(5000, 2000)), rel=1e-12)
    assert floats.probability[0] == pytest.approx(0.4, rel=1e-10)
    assert floats.probability[5000] == 1.0


@pytest.mark.slow
def test_a_share_below_the_smallest_float_is_not_nothing():
    """Cell 0 is a mine in one model of about 10**360: neither it nor its opposite is entailed."""
    clues, width = 120, 1000
    scopes = [({0, *range(2 + i * width, 2 + (i + 1) * width)}, 1) for i in range(clues)]
    problem = Problem.from_sets([*scopes, ({0, 1}, 1)], n=2 + clues * width)
    exact, floats = EXACT.marginals(problem), COUNTING.marginals(problem)
    assert exact.models == width**clues + 1
    for marginals in (exact, floats):
        assert 0.0 < marginals.probability[0] < 1e-300
        assert 1.0 - 1e-15 < marginals.probability[1] < 1.0
    deduction = COUNTING.deduce(problem)
    assert deduction.status is Status.COMPLETE
    assert not deduction.safe.any()
    assert not deduction.mines.any()


@pytest.mark.parametrize(
    "name", ["big100-d0.2-f0.6", "big100-d0.2-f0.9", "big200-d0.2-f0.9", "comb13", "combstrip9x41"]
)
def test_large_boards_agree_with_integers(name):
    """Boards of either side of the limit for plain floats: sums are the mine count, as exact."""
    lines = (Path(__file__).parent / "data" / "stress.jsonl").read_text().splitlines()
    data = next(d for d in map(json.loads, lines) if d["id"] == name)
    problem = Position.parse(data["grid"], mines=data["mines"]).problem()
    exact, floats = EXACT.marginals(problem), COUNTING.marginals(problem)
    assert exact.fractions is not None
    assert sum(f for f in exact.fractions if f is not None) == data["mines"]
    np.testing.assert_allclose(floats.probability, exact.probability, rtol=1e-11)
    assert np.nansum(floats.probability) == pytest.approx(data["mines"], abs=1e-9)
    assert floats.log_models == pytest.approx(exact.log_models, rel=1e-12)
    assert COUNTING.deduce(problem) == exact.deduction()


def test_over_the_budget():
    problem = Position.parse(["#1#1#1#", "#######", "#2#1#1#"], mines=4).problem()
    small = Counting(max_bytes=200)
    full = COUNTING.deduce(problem)
    assert full.status is Status.COMPLETE
    deduction = small.deduce(problem)
    assert deduction.status is Status.PARTIAL
    assert not (deduction.safe & ~full.safe).any()
    assert not (deduction.mines & ~full.mines).any()
    for solver in (small, Counting(exact=True, max_bytes=200)):
        marginals = solver.marginals(problem)
        assert marginals.status is Status.PARTIAL
        assert np.isnan(marginals.probability).all()
        assert math.isnan(marginals.log_models)
        assert marginals.models is None
    with pytest.raises(ValueError, match="max_bytes is at least 1, not 0"):
        Counting(max_bytes=0)


def test_what_single_clues_settle_survives_the_budget():
    problem = Position.parse(["0##1#1#", "#######", "#2#1#1#"], mines=None).problem()
    deduction = Counting(max_bytes=100).deduce(problem)
    assert deduction.status is Status.PARTIAL
    assert deduction.safe[[1, 7, 8]].all()


@pytest.mark.parametrize("mines", [10**30, 17])
def test_counts_no_model_can_have(mines):
    problem = Position.parse(["####"] * 4, mines=mines).problem()
    assert COUNTING.deduce(problem).status is Status.INCONSISTENT
    assert EXACT.marginals(problem).models == 0


def test_more_mines_hit_than_there_are():
    problem = Position.parse(["**#"], mines=1).problem()
    assert problem.mines == -1
    assert COUNTING.deduce(problem).status is Status.INCONSISTENT
    assert COUNTING.deduce(problem.local()).status is Status.COMPLETE


def test_nothing_covered():
    problem = Position.parse(["00"], mines=0).problem()
    assert EXACT.marginals(problem).models == 1
    assert COUNTING.marginals(problem).log_models == 0.0
    assert COUNTING.deduce(Position.parse(["00"], mines=1).problem()).status is Status.INCONSISTENT


def test_stats_say_what_was_built():
    stats = COUNTING.deduce(Position.parse(["#1#__#1#"]).problem()).stats
    assert stats["components"] == 2
    assert stats["boxes"] >= 2
    assert 0 < stats["peak_states"] <= stats["states"] <= stats["transitions"] + 2
