"""The CP-SAT backend: both models of a problem, budgets, cross-checks, and statuses that prove nothing."""

import json
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from ortools.sat.python import cp_model
from problems import problems
from shared_data import DATA, cases, corpora, listed, problem_of

from board import Problem
from solvers import Status, check_solver, make_solver, spec_of
from solvers.cpsat import CpSat
from solvers.trial_problems import trial_problems

PROBLEM = Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1), ({2, 3, 4}, 1), ({5}, 1)], n=8, mines=3)
SOLVE = cp_model.CpSolver.solve

with (DATA / "stress.jsonl").open(encoding="utf-8") as file:
    STRESS = {entry["id"]: entry for entry in map(json.loads, file)}


def some_corpora(step):
    return list(corpora().values())[::step]


@pytest.mark.parametrize("spec", ["cpsat", "cpsat:model=cell,verify=true"])
@settings(max_examples=100)
@given(problem=problems())
def test_finds_the_backbone(spec, problem):
    assert make_solver(spec).deduce(problem) == make_solver("enumeration").deduce(problem)


@pytest.mark.parametrize("spec", ["cpsat:model=cell,verify=true", "cpsat:work=1000.0,calls=1000", "cpsat:seed=7"])
def test_keeps_its_word(spec):
    assert check_solver(make_solver(spec), problems=100).unsupported == 0


@pytest.mark.parametrize("seed", [1, 2**31 - 1])
@pytest.mark.parametrize("model", ["box", "cell"])
def test_seeds_change_no_answer(model, seed):
    for entry in some_corpora(45):
        answer = CpSat(model, seed).deduce(problem_of(entry))
        assert (listed(answer.safe), listed(answer.mines)) == (entry["safe"], entry["mine"])


def test_cells_and_boxes_agree_on_game_positions():
    for entry in [*cases().values(), *some_corpora(45)]:
        for problem in (problem_of(entry), problem_of(entry).local()):
            assert CpSat("cell").deduce(problem) == CpSat("box").deduce(problem)


@pytest.mark.parametrize("name", ["comb13", "scatter50-f0.7", "scatter30-f0.3", "big200-d0.2-f0.3"])
def test_large_and_wide_positions(name):
    """Some with hundreds of boxes under one mine count: found first by the clues, then together."""
    problem = problem_of(STRESS[name])
    for question in (problem, problem.local()):
        assert CpSat().deduce(question) == make_solver("counting").deduce(question)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["box", "cell"])
@pytest.mark.parametrize("name", STRESS)
def test_stress_positions_take_seconds(name, model):
    """CPU time, so that a busy machine does not matter; each takes at most a fifth of these."""
    problem = problem_of(STRESS[name])
    for question, seconds in ((problem.local(), 2), (problem, 5)):
        started = time.process_time()
        answer = CpSat(model).deduce(question)
        assert time.process_time() - started < seconds
        assert answer == make_solver("sat").deduce(question)


# --- parameters


@pytest.mark.parametrize("spec", ["cpsat", "cpsat:model=cell,work=0.5,verify=true", "cpsat:seed=3,work=1e-05,calls=9"])
def test_specs(spec):
    assert spec_of(make_solver(spec)) == spec


def test_whole_numbers_of_work():
    assert spec_of(CpSat(work=1)) == "cpsat:work=1.0" == spec_of(make_solver("cpsat:work=1"))


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"seed": -1}, r"0\.\.2147483647, not -1"),
        ({"seed": 2**31}, "not 2147483648"),
        ({"model": "cells"}, "model is box or cell, not 'cells'"),
        ({"work": -0.5}, "work is finite and at least 0, not -0.5"),
        ({"work": float("nan")}, "not nan"),
        ({"work": float("inf")}, "not inf"),
        ({"work": 10**400}, "work is finite and at least 0, not 1000"),
        ({"work": "1"}, "work is a number, not '1'"),
        ({"work": True}, "work is a number, not True"),
        ({"calls": -1}, "calls is at least 0, not -1"),
        ({"calls": 1.5}, "calls is an integer, not 1.5"),
        ({"verify": 1}, "verify is true or false, not 1"),
    ],
)
def test_bad_parameters(parameters, said):
    with pytest.raises(ValueError, match=said):
        CpSat(**parameters)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("cpsat:model=rows", "'rows' is none of box, cell"),
        ("cpsat:work=much", "'much' is not a number"),
        ("cpsat:verify=yes", "'yes' is neither true nor false"),
    ],
)
def test_bad_specs(spec, said):
    with pytest.raises(ValueError, match=said):
        make_solver(spec)


# --- budgets


@pytest.mark.parametrize("budget", ["work=1e-09", "work=1e-06", "work=1e-05", "calls=1", "calls=2", "calls=4"])
@pytest.mark.parametrize("model", ["box", "cell"])
def test_answers_over_budget_are_sound_and_repeat(model, budget):
    solver = make_solver(f"cpsat:model={model},{budget}")
    assert not solver.claims.complete_local
    assert not solver.claims.complete_global
    statuses = set()
    for entry in some_corpora(30):
        problem = problem_of(entry)
        answer, again = solver.deduce(problem), solver.deduce(problem)
        assert answer == again
        assert all(answer.stats[name] == again.stats[name] for name in ("calls", "work", "models", "variables"))
        assert answer.stats["calls"] <= (solver.calls or 10**9)
        complete = answer.status is Status.COMPLETE
        for mine, true in ((answer.safe, entry["safe"]), (answer.mines, entry["mine"])):
            assert set(listed(mine)) <= set(true)
            assert not complete or listed(mine) == true
        statuses.add(answer.status)
    assert Status.PARTIAL in statuses


def test_a_budget_of_work_is_for_the_whole_deduction():
    problem = problem_of(STRESS["comb13"])
    whole = CpSat().deduce(problem)
    half = CpSat(work=whole.stats["work"] / 2).deduce(problem)
    assert (whole.status, half.status) == (Status.COMPLETE, Status.PARTIAL)
    assert 1 < half.stats["calls"] < whole.stats["calls"]
    assert CpSat(work=whole.stats["work"] * 1.01).deduce(problem) == whole
    assert CpSat(calls=whole.stats["calls"]).deduce(problem) == whole
    assert CpSat(calls=whole.stats["calls"] - 1).deduce(problem).status is Status.PARTIAL


def test_what_the_clues_prove_stays_over_budget():
    """Above 32 variables the clues are asked first: what they entail is kept when the mine count takes too long."""
    problem = problem_of(STRESS["comb13"])
    local = CpSat().deduce(problem.local())
    assert local.safe.any()
    answer = CpSat(calls=local.stats["calls"] + 1).deduce(problem)
    assert (answer.safe == local.safe).all()
    assert answer.status is Status.PARTIAL


def test_no_model_stays_no_model_over_budget():
    """Three pairs that cannot all differ: a model is asked for, at least."""
    problem = Problem.from_sets([({0, 1}, 1), ({1, 2}, 1), ({0, 2}, 1)], n=3)
    assert CpSat().deduce(problem).status is Status.INCONSISTENT
    assert CpSat(calls=1).deduce(problem).status is Status.INCONSISTENT


# --- what CP-SAT says


@pytest.mark.parametrize("question", [PROBLEM, PROBLEM.local()])
@pytest.mark.parametrize("model", ["box", "cell"])
def test_unknown_proves_nothing(monkeypatch, question, model):
    whole = CpSat(model).deduce(question)
    assert 2 in listed(whole.safe)
    for heard in range(whole.stats["calls"]):
        asked = []

        def limited(self, model, asked=asked, heard=heard):
            asked.append(model)
            status = SOLVE(self, model)
            return status if len(asked) <= heard else cp_model.UNKNOWN

        monkeypatch.setattr(cp_model.CpSolver, "solve", limited)
        answer = CpSat(model).deduce(question)
        monkeypatch.undo()
        assert (answer.status, listed(answer.safe), listed(answer.mines)) == (Status.PARTIAL, [], [5])


def test_invalid_model_is_an_error(monkeypatch):
    def refused(self, model):
        SOLVE(self, model)
        return cp_model.MODEL_INVALID

    monkeypatch.setattr(cp_model.CpSolver, "solve", refused)
    with pytest.raises(RuntimeError, match="MODEL_INVALID"):
        CpSat().deduce(PROBLEM)


def infeasible_from(monkeypatch, question):
    """Let CP-SAT call every model infeasible from this question on."""
    asked = []

    def wrong(self, model):
        asked.append(model)
        status = SOLVE(self, model)
        return status if len(asked) < question else cp_model.INFEASIBLE

    monkeypatch.setattr(cp_model.CpSolver, "solve", wrong)


@pytest.mark.parametrize("model", ["box", "cell"])
def test_a_false_infeasible_is_caught(monkeypatch, model):
    label = "cpsat:model=cell,verify=true" if model == "cell" else "cpsat:verify=true"
    solver = CpSat(model, verify=True)
    question = Problem.from_sets([({0, 1}, 1), ({1, 2}, 1), ({3, 4}, 1), ({3, 4, 5}, 1)], n=6)
    assert listed(solver.deduce(question).safe) == [5]
    infeasible_from(monkeypatch, 2)  # all that the first model shows is "proved"
    shown = CpSat(model).deduce(question)
    assert shown.status is Status.COMPLETE
    infeasible_from(monkeypatch, 2)
    with pytest.raises(
        RuntimeError, match=rf"^{label} claims that the cells \[.+\] are .+, which sat refutes$"
    ) as caught:
        solver.deduce(question)
    true = make_solver("enumeration").deduce(question)
    for what, mine, its in (("safe", shown.safe, true.safe), ("mines", shown.mines, true.mines)):
        wrong = listed(mine & ~its)
        assert (f"the cells {wrong} are {what}" in str(caught.value)) == bool(wrong)


@pytest.mark.parametrize("question", [PROBLEM, PROBLEM.local(), problem_of(STRESS["comb13"])])
def test_a_false_contradiction_is_caught(monkeypatch, question):
    infeasible_from(monkeypatch, 1)
    assert CpSat().deduce(question).status is Status.INCONSISTENT
    with pytest.raises(RuntimeError, match=r"^cpsat:verify=true claims that there is no model, which sat refutes$"):
        CpSat(verify=True).deduce(question)


def test_true_contradictions_pass():
    pairs = Problem.from_sets([({0, 1}, 1), ({1, 2}, 1), ({0, 2}, 1)], n=3)
    assert CpSat(verify=True).deduce(pairs).status is Status.INCONSISTENT


def test_claims_of_single_clues_need_no_other_backend(monkeypatch):
    monkeypatch.setattr("solvers.cpsat.make_solver", None)
    answer = CpSat(verify=True).deduce(Problem.from_sets([({0}, 1), ({1, 2}, 1)], n=4))
    assert (answer.status, listed(answer.mines)) == (Status.COMPLETE, [0])


# --- the models


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
@pytest.mark.parametrize("model", ["box", "cell"])
def test_counts_with_a_gap(model, mines, status, safe, mined):
    """Cell 0 against three others: one mine or three, beside one untouched cell."""
    answer = CpSat(model).deduce(Problem.from_sets([({0, i}, 1) for i in (1, 2, 3)], n=5, mines=mines))
    assert (str(answer.status), listed(answer.safe), listed(answer.mines)) == (status, safe, mined)


def test_what_a_variable_is():
    """A box, or a cell; untouched cells are variables only where the mine count matters."""
    problem = Problem.from_sets([({0, 1, 2, 3}, 2), ({2, 3, 4, 5}, 2)], n=50, mines=3)
    for model, local, together in (("box", 3, 4), ("cell", 6, 6 + 50)):  # above 32, the clues come first
        assert CpSat(model).deduce(problem.local()).stats["variables"] == local
        answer = CpSat(model).deduce(problem)
        assert answer.stats["variables"] == together
        assert (answer.status, answer.safe.any(), answer.mines.any()) == (Status.COMPLETE, False, False)


def test_components_share_models():
    """Four boxes each: eight to a model. Above that, the mine count makes one more model of all."""
    clues = [({3 * i, 3 * i + 1}, 1) for i in range(40)] + [({3 * i + 1, 3 * i + 2}, 1) for i in range(40)]
    problem = Problem.from_sets(clues, n=120)
    assert CpSat().deduce(problem).stats["models"] == 3 * 40 // 30
    tight = Problem.from_sets(clues, n=120, mines=40)  # all of them hold the middle cell
    answer = CpSat().deduce(tight)
    assert (answer.stats["models"], listed(answer.mines)) == (5, list(range(1, 120, 3)))
    small = Problem.from_sets([clue for clue in clues if max(clue[0]) < 30], n=30, mines=10)
    assert CpSat().deduce(small).stats["models"] == 1


@pytest.mark.parametrize("model", ["box", "cell"])
def test_trial_problems_with_shared_models(monkeypatch, model):
    """With models of a variable or two, small problems take the path of large ones."""
    monkeypatch.setattr("solvers.cpsat._SHARED_VARIABLES", 2)
    for problem in trial_problems(150, seed=5):
        assert CpSat(model).deduce(problem) == make_solver("enumeration").deduce(problem)


def test_only_the_first_use_imports_the_library():
    code = "import sys, solvers as s; print('ortools' in sys.modules, s.make_solver('cpsat'), 'ortools' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    words = done.stdout.split()
    assert (words[0], words[-1]) == ("False", "True"), done.stderr


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


def test_verify_refutes_a_model_that_is_none():
    """An odd ring has no model; an answer that says what is entailed in its models is refuted."""
    ring = Problem.from_sets([({0, 1}, 1), ({1, 2}, 1), ({0, 2}, 1)], n=3)
    pairs = Problem.from_sets([({0, 1}, 1)], n=3)
    none, some = (make_solver("counting").deduce(problem) for problem in (ring, pairs))
    CpSat()._check(ring, none)
    CpSat()._check(pairs, some)
    with pytest.raises(RuntimeError, match="that there is a model, which sat refutes"):
        CpSat()._check(ring, some)
    with pytest.raises(RuntimeError, match="that there is no model, which sat refutes"):
        CpSat()._check(pairs, none)
