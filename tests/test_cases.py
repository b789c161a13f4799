"""The 60 positions rebuilt from public bug reports, with every backend, against exact answers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from shared_data import cases, cell_numbers, listed, problem_of

from board import Problem
from solvers import Status, Unsupported, label_of, make_solver

COUNTED = [name for name, case in cases().items() if case["mines"] is not None]
CONSISTENT = [name for name, case in cases().items() if case["expect"]["consistent"]]

# Positions that a method cannot finish. Refusing them is tested like an answer.
_TOO_MANY = "enumeration lists models one by one, and here are too many of them"
REFUSED = {
    ("enumeration", "global"): dict.fromkeys(
        [
            "tatham-9x9-35-start",
            "jsm-2-10x19-dense",
            "kaboom-13-outside-min",
            "minesweepr-readme",
            "xie-3-lattice-full",
            "mstool-prob-1",
            "mstool-prob-2-expert",
            "mstool-prob-3-8x7",
            "codereview-4x4-none",
            "daniel-9-overflow",
            "minegauler-200-large",
            "count-over-4300-digits",
        ],
        _TOO_MANY,
    ),
    ("mstoollib", "local"): dict.fromkeys(cases(), "the library does not answer the local question"),
}
REFUSED["enumeration", "local"] = REFUSED["enumeration", "global"] | dict.fromkeys(
    [
        "kaboom-13-outside-safe",
        "mstool-chain",
        "mstool-guess",
        "mstool-enumerate",
        "zikoat-6-zero-density",
        "cpmpy-409-interior",
    ],
    _TOO_MANY,
)
# Positions on which a method would take the whole test run with it.
HANGS = {
    ("mstoollib", "global"): {
        "xie-3-lattice-full": "the library enumerates the lattice as one block: minutes and gigabytes"
    }
}


def ask(method, solver, name, problem):
    """The answer, or None where the method refuses as it should."""
    question = "local" if problem.mines is None else "global"
    key = (label_of(solver).partition(":")[0], question)
    if name in HANGS.get(key, {}):
        pytest.skip(HANGS[key][name])
    if name in REFUSED.get(key, {}):
        with pytest.raises(Unsupported):
            method(problem)
        return None
    return method(problem)


def check_deduction(case, answer, suffix, complete):
    if answer is None:
        return
    safe, mines = cell_numbers(case, f"safe{suffix}"), cell_numbers(case, f"mines{suffix}")
    if not case["expect"][f"consistent{suffix}"]:
        assert answer.status is Status.INCONSISTENT if complete else answer.status is not Status.COMPLETE
    elif complete or answer.status is Status.COMPLETE:
        assert (listed(answer.safe), listed(answer.mines)) == (safe, mines)
        assert answer.status is Status.COMPLETE
    else:
        assert answer.status is Status.PARTIAL
        assert set(listed(answer.safe)) <= set(safe)
        assert set(listed(answer.mines)) <= set(mines)


@pytest.mark.parametrize("name", COUNTED)
def test_with_the_mine_count(solver, name):
    case = cases()[name]
    answer = ask(solver.deduce, solver, name, problem_of(case))
    check_deduction(case, answer, "", solver.claims.complete_global)


@pytest.mark.parametrize("name", cases())
def test_clues_only(solver, name):
    case = cases()[name]
    answer = ask(solver.deduce, solver, name, problem_of(case).local())
    check_deduction(case, answer, "_local", solver.claims.complete_local)


@pytest.mark.parametrize("name", [name for name in COUNTED if name in CONSISTENT])
def test_the_peer_is_complete_with_the_mine_count(name):
    """Not a promise, because it rounds, but what it does on ordinary boards."""
    pytest.importorskip("ms_toollib")
    peer = make_solver("mstoollib")
    answer = ask(peer.deduce, peer, name, problem_of(cases()[name]))
    assert answer is not None
    assert answer.status is Status.COMPLETE


@pytest.mark.parametrize("name", [name for name, case in cases().items() if case["expect"]["consistent_local"]])
@pytest.mark.parametrize("rule", ["subset", "minmax"])
def test_rules_find_their_listed_sets(rule, name):
    case = cases()[name]
    columns = len(case["grid"][0])
    expected = [
        sorted(row * columns + column for row, column in case["difficulty"][f"{rule}_{what}"])
        for what in ("safe", "mines")
    ]
    answer = make_solver(rule).deduce(problem_of(case).local())
    assert [listed(answer.safe), listed(answer.mines)] == expected


@pytest.mark.parametrize("name", [name for name, case in cases().items() if "must_not_safe" in case["expect"]])
def test_cells_wrongly_called_safe(solver, name):
    case = cases()[name]
    answer = ask(solver.deduce, solver, name, problem_of(case))
    assert answer is not None
    assert not set(cell_numbers(case, "must_not_safe")) & set(listed(answer.safe))


def expected_probabilities(case):
    """cell -> Fraction, or float where only decimals are listed; without a mine count none are listed."""
    if case["mines"] is None:
        return {}
    expect, columns = case["expect"], len(case["grid"][0])
    given = {cell: Fraction(text) for cell, text in (expect["probabilities"] or {}).items()}
    given = given or expect.get("probabilities_float", {})
    found = {int(r) * columns + int(c): value for (r, c), value in ((k.split(","), v) for k, v in given.items())}
    problem = problem_of(case)
    covered = set(listed(problem.covered))
    interior = covered - set(problem.cells.tolist())
    assert len(interior) == expect["interior_cells"]
    if interior:
        found |= dict.fromkeys(interior, Fraction(expect["interior_probability"]))
    assert set(found) == covered
    return found


@pytest.mark.parametrize("name", CONSISTENT)
def test_exact_counts_and_fractions(name):
    case = cases()[name]
    problem = problem_of(case)
    answer = make_solver("counting:exact=true").marginals(problem)
    assert answer.status is Status.COMPLETE
    assert answer.models == int(case["expect"]["solutions"])
    for cell, value in expected_probabilities(case).items():
        if isinstance(value, Fraction):
            assert answer.fractions[cell] == value
        else:
            assert float(answer.fractions[cell]) == pytest.approx(value, rel=1e-12, abs=0)


@pytest.mark.parametrize("name", CONSISTENT)
def test_probabilities(marginal_solver, name):
    case = cases()[name]
    problem = problem_of(case)
    answer = ask(marginal_solver.marginals, marginal_solver, name, problem)
    if answer is None:
        return
    assert answer.status is Status.COMPLETE
    assert np.isnan(answer.probability[~problem.covered]).all()
    for cell, value in expected_probabilities(case).items():
        assert answer.probability[cell] == pytest.approx(float(value), rel=1e-10, abs=0)
        assert (answer.probability[cell] in (0, 1)) == (value in (0, 1))
    if not math.isnan(answer.log_models):  # the peer does not count
        log_models = math.log(int(case["expect"]["solutions"]))
        assert answer.log_models == pytest.approx(log_models, rel=1e-10, abs=1e-10)
    if answer.fractions is not None:
        assert answer.models == int(case["expect"]["solutions"])


@pytest.mark.parametrize("name", [name for name in cases() if name not in CONSISTENT])
def test_no_probabilities_without_a_model(marginal_solver, name):
    answer = ask(marginal_solver.marginals, marginal_solver, name, problem_of(cases()[name]))
    if answer is None:
        return
    assert answer.status is Status.INCONSISTENT
    assert answer.log_models == -math.inf
    assert not answer.models
    assert np.isnan(answer.probability).all()


@pytest.mark.parametrize("name", cases())
def test_models_of_the_cells_beside_clues(name):
    case = cases()[name]
    problem = problem_of(case)
    touched = np.zeros(problem.n, np.bool_)
    touched[problem.cells] = True
    alone = Problem(touched, problem.indptr, problem.cells, problem.totals)
    answer = make_solver("counting:exact=true").marginals(alone)
    assert answer.models == int(case["expect"]["frontier_solutions"])
