"""The CP-SAT backend: the backbone, seeds, and statuses that prove nothing."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from ortools.sat.python import cp_model
from problems import problems
from shared_data import corpora, listed, problem_of

from board import Problem
from solvers import Status, make_solver
from solvers.cpsat import CpSat

PROBLEM = Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1), ({2, 3, 4}, 1), ({5}, 1)], n=8, mines=3)


@settings(max_examples=150)
@given(problems())
def test_finds_the_backbone(problem):
    assert CpSat().deduce(problem) == make_solver("enumeration").deduce(problem)


@pytest.mark.parametrize("seed", [1, 2**31 - 1])
def test_seeds_change_no_answer(seed):
    for entry in list(corpora().values())[::45]:
        problem = problem_of(entry)
        answer = CpSat(seed).deduce(problem)
        assert (listed(answer.safe), listed(answer.mines)) == (entry["safe"], entry["mine"])


@pytest.mark.parametrize("seed", [-1, 2**31])
def test_bad_seed(seed):
    with pytest.raises(ValueError, match=f"not {seed}"):
        CpSat(seed)


@pytest.mark.parametrize("question", [PROBLEM, PROBLEM.local()])
def test_unknown_proves_nothing(monkeypatch, question):
    solve = cp_model.CpSolver.solve
    whole = CpSat().deduce(question)
    assert 2 in listed(whole.safe)
    for heard in range(whole.stats["calls"]):
        asked = []

        def limited(self, model, asked=asked, heard=heard):
            asked.append(model)
            return solve(self, model) if len(asked) <= heard else cp_model.UNKNOWN

        monkeypatch.setattr(cp_model.CpSolver, "solve", limited)
        answer = CpSat().deduce(question)
        assert (answer.status, listed(answer.safe), listed(answer.mines)) == (Status.PARTIAL, [], [5])


def test_invalid_model_is_an_error(monkeypatch):
    monkeypatch.setattr(cp_model.CpSolver, "solve", lambda self, model: cp_model.MODEL_INVALID)
    with pytest.raises(RuntimeError, match="MODEL_INVALID"):
        CpSat().deduce(PROBLEM)


@pytest.mark.parametrize(
    ("mines", "status", "safe", "mined"),
    [
        (1, "complete", [1, 2, 3, 4], [0]),
        (2, "complete", [1, 2, 3], [0, 4]),
        (3, "complete", [0, 4], [1, 2, 3]),
        (4, "complete", [0], [1, 2, 3, 4]),
        (5, "inconsistent", [], []),
        (10**30, "inconsistent", [], []),
    ],
)
def test_counts_with_a_gap(mines, status, safe, mined):
    """Cell 0 against three others: one mine or three, beside one untouched cell."""
    answer = CpSat().deduce(Problem.from_sets([({0, i}, 1) for i in (1, 2, 3)], n=5, mines=mines))
    assert (str(answer.status), listed(answer.safe), listed(answer.mines)) == (status, safe, mined)


def test_boxes_are_variables():
    """Equal cells, and untouched ones, are one variable."""
    answer = CpSat().deduce(Problem.from_sets([({0, 1, 2, 3}, 2), ({2, 3, 4, 5}, 2)], n=50_000, mines=3))
    assert answer.stats["variables"] == 4
    assert answer.status is Status.COMPLETE


@pytest.mark.parametrize("handler", ["SIG_IGN", "default_int_handler"])
def test_ctrl_c_stays_what_it_was(handler):
    """In a process of its own, because a fault here would let the signal end it."""
    code = f"""
import signal
from board import Position
from solvers import make_solver
signal.signal(signal.SIGINT, signal.{handler})
make_solver("cpsat").deduce(Position.parse(["1#", "##"], mines=1).problem())
try:
    signal.raise_signal(signal.SIGINT)
    print("ignored")
except KeyboardInterrupt:
    print("raised")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["ignored" if handler == "SIG_IGN" else "raised"], done.stderr
