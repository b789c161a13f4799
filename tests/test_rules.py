"""The compiled rules against their specification in plain Python, and what the clues entail."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import reference_rules
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from problems import systems
from shared_data import cases, problem_of

from board import Layout, Problem
from solvers import Status, make_solver

RULES = ("single", "subset", "minmax")
FOUR_CLAUSES = [({0, 1}, 1), ({0, 1, 2, 3}, 2), ({1, 2, 4}, 2), ({0, 3, 5}, 2)]


@st.composite
def boards(draw):
    """A board of up to 6x6 with some of its safe cells opened, without the flood fill."""
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    layout = Layout.random(rows, columns, draw(st.integers(0, rows * columns)), rng)
    opened = (rng.random((rows, columns)) < draw(st.floats(0, 1))) & ~layout.mines
    return layout.position(opened).problem()


def check_against_specification(problem):
    answers = {}
    for rule in RULES:
        answers[rule] = make_solver(rule).deduce(problem)
        assert answers[rule] == getattr(reference_rules, rule)(problem), rule
    if answers["minmax"].status is not Status.INCONSISTENT:
        for weaker, stronger in (("single", "subset"), ("subset", "minmax")):
            assert answers[weaker].status is Status.PARTIAL
            assert not (answers[weaker].safe & ~answers[stronger].safe).any()
            assert not (answers[weaker].mines & ~answers[stronger].mines).any()


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(systems(most=12, max_scope=8))
def test_equal_to_the_specification_on_hypergraphs(problem):
    check_against_specification(problem)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(boards())
def test_equal_to_the_specification_on_boards(problem):
    check_against_specification(problem)


@pytest.mark.slow
@settings(max_examples=1500, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(systems(most=12, max_scope=8), boards()))
def test_equal_to_the_specification_widely(problem):
    check_against_specification(problem)


# The specification takes 20 s on the lattice.
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n == "xie-3-lattice-full" else n for n in cases()]


@pytest.mark.parametrize("name", NAMES)
def test_equal_to_the_specification_on_the_cases(name):
    problem = problem_of(cases()[name])
    for rule in RULES:
        assert make_solver(rule).deduce(problem) == getattr(reference_rules, rule)(problem), rule


@settings(max_examples=100)
@given(systems(most=12, max_scope=8), st.randoms(use_true_random=False))
def test_the_order_of_clues_does_not_matter(problem, random):
    constraints = list(problem.constraints)
    random.shuffle(constraints)
    shuffled = Problem.from_sets(constraints, n=problem.n)
    for rule in RULES:
        assert make_solver(rule).deduce(shuffled) == make_solver(rule).deduce(problem)


@pytest.mark.parametrize("clauses", list(permutations(FOUR_CLAUSES)))
def test_an_implied_clause_is_needed_later(clauses):
    """Dropping {0, 1, 2, 3} = 2 once it is implied would lose both mines."""
    deduction = make_solver("minmax").deduce(Problem.from_sets(clauses, n=6))
    assert np.flatnonzero(deduction.mines).tolist() == [4, 5]


def test_the_worked_example_of_lolai():
    """{1 <= 0 1 2 <= 1} and {2 <= 1 2 3 <= 2}: 3 is a mine, 0 is safe."""
    deduction = make_solver("minmax").deduce(Problem.from_sets([({0, 1, 2}, 1), ({1, 2, 3}, 2)], n=4))
    assert np.flatnonzero(deduction.safe).tolist() == [0]
    assert np.flatnonzero(deduction.mines).tolist() == [3]
    assert deduction.status is Status.PARTIAL


@pytest.mark.parametrize("rule", RULES)
def test_scopes_of_any_size(rule):
    """Clues over hundreds of cells, a subset pair among them."""
    problem = Problem.from_sets([(range(300), 7), (range(200), 7), (range(250, 400), 100)], n=400)
    deduction = make_solver(rule).deduce(problem)
    assert deduction.status is Status.PARTIAL
    if rule != "single":
        assert deduction.safe[200:300].all()
        assert deduction.mines[300:400].all()


@pytest.mark.parametrize(("rule", "parameter"), [("subset", "max_sentences"), ("minmax", "max_clauses")])
def test_the_budget_leaves_only_proved_cells(rule, parameter):
    problem = Problem.from_sets([*FOUR_CLAUSES, ({6, 7}, 1), ({6, 7, 8}, 1)], n=9)
    full, small = make_solver(rule).deduce(problem), make_solver(f"{rule}:{parameter}=1").deduce(problem)
    assert small.status is Status.PARTIAL
    assert not (small.safe & ~full.safe).any()
    assert not (small.mines & ~full.mines).any()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "constraints", [[({0, 1}, 3)], [(set(), 1)], [({0, 1}, -1)], [({0}, 0), ({1}, 0), ({0, 1}, 1)]]
)
def test_contradictions_a_single_clue_shows(rule, constraints):
    deduction = make_solver(rule).deduce(Problem.from_sets(constraints, n=2))
    assert deduction.status is Status.INCONSISTENT
    assert not deduction.safe.any()
    assert not deduction.mines.any()
