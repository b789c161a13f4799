"""Faults of public solvers that are no position: every line of behaviours.jsonl is one test here."""

import random

import numpy as np
import pytest
from shared_data import behaviours, cases, listed, problem_of

from board import COVERED, Game, Layout, Outcome, Position, Problem
from solvers import Status, Unsupported, label_of, make_solver

# Small enough for every backend, and something to find for each.
READABLE = ["kaboom-23-disjoint", "minesweepr-ring", "cs50-spec-3x3", "jsm-19-partial-list", "secuso-16-1x9"]


def test_every_line_has_its_test():
    assert {name.replace("-", "_") for name in behaviours()} == {
        name.removeprefix("test_") for name in globals() if name.startswith("test_b_")
    }


def told(name):
    return behaviours()[name]["input"]


def answer_of(solver, problem):
    try:
        return solver.deduce(problem)
    except Unsupported:
        assert label_of(solver) == "mstoollib"  # takes boards with a mine count only
        pytest.skip("the peer takes boards with a mine count")


def rules_of(name):
    """(problem over the letters of the rules, the cell of a letter)."""
    rules = told(name)["rules"]
    letters = sorted({letter for _, scope in rules for letter in scope})
    cell = {letter: i for i, letter in enumerate(letters)}
    return Problem.from_sets([([cell[x] for x in scope], total) for total, scope in rules], len(letters)), cell


def flooded(name):
    given = told(name)
    mines = np.zeros((given["rows"], given["cols"]), np.bool_)
    for row, column in given["mine_layout"]:
        mines[row, column] = True
    game = Game(Layout(mines))
    game.open(*given["open"])
    return game


def test_b_flood_1000():
    game = flooded("b-flood-1000")
    assert int(game.opened.sum()) == 999_999
    assert not game.opened[0, 0]


def test_b_flood_zero():
    game = flooded("b-flood-zero")
    assert int(game.opened.sum()) == 90_000
    assert game.outcome is Outcome.WON


def test_b_mines_over_cells():
    given = told("b-mines-over-cells")
    with pytest.raises(ValueError, match="400"):
        Layout.random(given["rows"], given["cols"], given["mines"], seed=0)


@pytest.mark.parametrize("mines", told("b-mines-negative")["mines"])
def test_b_mines_negative(mines):
    given = told("b-mines-negative")
    for make in (
        lambda: Layout.random(given["rows"], given["cols"], mines, seed=0),
        lambda: Position.parse(["###"] * 3, mines),
        lambda: Problem.from_sets([], 9, mines),
    ):
        with pytest.raises(ValueError, match="mine count") as caught:
            make()
        assert repr(mines) in str(caught.value)


def test_b_empty():
    said = set()
    for rows in told("b-empty")["grids"]:
        with pytest.raises(ValueError, match="empty") as caught:
            Position.parse(rows)
        said.add(str(caught.value))
    assert len(said) == 1


@pytest.mark.parametrize("rows", told("b-bad-char")["grids"], ids=ascii)
def test_b_bad_char(rows):
    column, character = next((i, c) for i, c in enumerate(rows[0]) if c not in "012345678#F*_")
    with pytest.raises(ValueError, match=f"row 0, column {column}") as caught:
        Position.parse(rows)
    assert repr(character) in str(caught.value)


@pytest.mark.parametrize("name", READABLE)
def test_b_set_during_iteration(solver, name):
    problem = problem_of(cases()[name])
    constraints = list(problem.constraints)
    covered = listed(problem.covered)
    answers = set()
    for seed in range(50):
        random.Random(seed).shuffle(constraints)
        shuffled = Problem.from_sets(constraints, problem.n, problem.mines, covered)
        answers.add(answer_of(solver, shuffled))
    assert len(answers) == 1


def contradicted(solver, name):
    problem, _ = rules_of(name)
    answer = answer_of(solver, problem)
    assert not (answer.safe & answer.mines).any()
    assert answer.status is not Status.COMPLETE
    return answer


def test_b_contradiction(solver):
    answer = contradicted(solver, "b-contradiction")
    assert answer.status is Status.INCONSISTENT or not solver.claims.complete_local


def test_b_contradiction_2(solver):
    answer = contradicted(solver, "b-contradiction-2")
    seen = answer.status is Status.INCONSISTENT
    assert seen or not (solver.claims.complete_local or label_of(solver) == "minmax")


def test_b_rule_loop(solver):
    problem, cell = rules_of("b-rule-loop")
    answer = answer_of(solver, problem)
    safe, mines = [cell["d"], cell["g"]], [cell["a"]]
    if solver.claims.complete_local:
        assert (listed(answer.safe), listed(answer.mines)) == (safe, mines)
    else:
        assert set(listed(answer.safe)) <= set(safe)
        assert set(listed(answer.mines)) <= set(mines)
    if solver.claims.exact:
        marginals = solver.marginals(problem)
        assert marginals.models == 2
        assert {str(marginals.fractions[cell[letter]]) for letter in "bcef"} == {"1/2"}


NOT_SQUARE = [name for name, case in cases().items() if len(case["grid"]) != len(case["grid"][0])]


@pytest.mark.parametrize("name", NOT_SQUARE)
def test_b_transposed(solver, name):
    case = cases()[name]
    position = Position.parse(case["grid"], case["mines"])
    if label_of(solver) == "enumeration" and np.count_nonzero(position.codes == COVERED) > 18:
        pytest.skip("enumeration is for tiny boards")
    if label_of(solver) == "mstoollib" and name == "xie-3-lattice-full":
        pytest.skip("the library enumerates the lattice as one block: minutes and gigabytes")
    turned = Position(position.codes.T, position.mines, position.flags.T)
    straight, other = (answer_of(solver, p.problem()) for p in (position, turned))
    rows, columns = position.shape
    assert other.status is straight.status
    assert np.array_equal(other.safe.reshape(columns, rows).T, straight.safe.reshape(rows, columns))
    assert np.array_equal(other.mines.reshape(columns, rows).T, straight.mines.reshape(rows, columns))


COUNTED = [n for n, c in cases().items() if c["mines"] is not None and c["expect"]["consistent"]]


@pytest.mark.parametrize("name", COUNTED)
def test_b_sum_of_probabilities(name):
    answer = make_solver("counting:exact=true").marginals(problem_of(cases()[name]))
    assert sum(p for p in answer.fractions if p is not None) == cases()[name]["mines"]


@pytest.mark.parametrize("name", READABLE)
def test_b_no_mutation(solver, name):
    rows = list(cases()[name]["grid"])
    position = Position.parse(rows, cases()[name]["mines"])
    problem = position.problem()
    scopes = [set(c.scope) for c in problem.constraints]
    given = [(scope, c.total) for scope, c in zip(scopes, problem.constraints, strict=True)]
    from_sets = Problem.from_sets(given, problem.n, problem.mines, listed(problem.covered))
    before = (position.text(), hash(problem), hash(from_sets), [frozenset(s) for s in scopes])
    assert answer_of(solver, problem) == answer_of(solver, problem)
    if label_of(solver) != "mstoollib":
        assert answer_of(solver, from_sets) == answer_of(solver, problem)
    assert rows == cases()[name]["grid"]
    assert (position.text(), hash(problem), hash(from_sets), [frozenset(s) for s in scopes]) == before
