"""The SAT backend: the mine count, budgets, and what is refused. Pairs of encoding and oracle: test_sat_pairs.py."""

import json
import random
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import problems
from shared_data import corpora, listed, problem_of

from board import Problem
from solvers import Status, Unsupported, make_solver, spec_of
from solvers.backbone import backbone
from solvers.boxes import MINE, SAFE
from solvers.components import effect_of_count, split
from solvers.counts import completing, counts, interval
from solvers.incremental import Group
from solvers.sat import Sat
from solvers.trial_problems import trial_problems

with (Path(__file__).parent / "data" / "stress.jsonl").open(encoding="utf-8") as file:
    STRESS = {entry["id"] + f"-{i}": entry for i, entry in enumerate(map(json.loads, file))}


@cache
def answered():
    """(problem, the answer of enumeration), each."""
    reference = make_solver("enumeration")
    return [(problem, reference.deduce(problem)) for problem in trial_problems(60, seed=5)]


@settings(max_examples=200, deadline=None)
@given(problems())
def test_finds_the_backbone(problem):
    assert Sat().deduce(problem) == make_solver("enumeration").deduce(problem)


@settings(max_examples=100, deadline=None)
@given(problems())
def test_finds_the_backbone_in_clauses(problem):
    assert Sat("totalizer", "glucose4").deduce(problem) == make_solver("enumeration").deduce(problem)


@pytest.mark.parametrize(
    "spec",
    ["sat:encoding=binomial,oracle=minisat22", "sat:encoding=kmtotalizer,oracle=cadical153", "sat:oracle=gluecard4"],
)
def test_other_pairs_on_game_positions(spec):
    solver = make_solver(spec)
    for entry in list(corpora().values())[::27]:
        problem = problem_of(entry)
        whole, local = solver.deduce(problem), solver.deduce(problem.local())
        assert (listed(whole.safe), listed(whole.mines)) == (entry["safe"], entry["mine"])
        assert (listed(local.safe), listed(local.mines)) == (entry["safe_local"], entry["mine_local"])


def test_spec():
    solver = make_solver("sat:encoding=totalizer,oracle=glucose4")
    assert solver == Sat("totalizer", "glucose4")
    assert spec_of(solver) == "sat:encoding=totalizer,oracle=glucose4"


# What is refused


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"oracle": "minicart"}, ValueError, "unknown oracle 'minicart'; did you mean 'minicard'"),
        ({"oracle": ""}, ValueError, "unknown oracle ''; known are minicard"),
        ({"encoding": "cnf"}, ValueError, "unknown encoding 'cnf'"),
        ({"conflicts": -1}, ValueError, "at least 0, not -1"),
        ({"conflicts": 2**31}, ValueError, "at most 2147483647, not 2147483648"),
        ({"encoding": "binomial", "oracle": "lingeling", "conflicts": 9}, Unsupported, "takes no budget"),
    ],
)
def test_bad_parameter(parameters, error, message):
    with pytest.raises(error, match=message):
        Sat(**parameters)


# Budgets


def test_budget_gives_part_of_the_answer():
    problem = problem_of(next(entry for entry in STRESS.values() if entry["id"] == "comb17"))
    solver = Sat(conflicts=1)
    assert not solver.claims.complete_local
    assert not solver.claims.complete_global
    for question in (problem, problem.local()):
        whole, part = Sat().deduce(question), solver.deduce(question)
        assert part.status is Status.PARTIAL
        assert not (part.safe & ~whole.safe).any()
        assert not (part.mines & ~whole.mines).any()
        assert solver.deduce(question) == part


def test_generous_budget_changes_nothing():
    for problem, expected in answered():
        assert Sat(conflicts=10_000).deduce(problem) == expected


def test_nothing_is_claimed_without_an_answer_of_the_oracle(monkeypatch):
    problem = Problem.from_sets([({0, 1, 2}, 1), ({1, 2, 3}, 1), ({4}, 1)], n=6, mines=3)
    monkeypatch.setattr(Group, "ask", lambda self, assumptions: None)
    for question in (problem, problem.local()):
        answer = Sat().deduce(question)
        assert (answer.status, listed(answer.safe), listed(answer.mines)) == (Status.PARTIAL, [], [4])


@pytest.mark.parametrize("heard", range(1, 12))
def test_losing_the_oracle_at_any_question_is_no_false_claim(monkeypatch, heard):
    ask = Group.ask
    for problem, expected in answered():
        asked = []

        def limited(self, assumptions, asked=asked):
            asked.append(assumptions)
            return ask(self, assumptions) if len(asked) <= heard else None

        monkeypatch.setattr(Group, "ask", limited)
        answer = Sat().deduce(problem)
        if len(asked) <= heard or answer.status is not Status.PARTIAL:
            assert answer == expected
        elif expected.status is not Status.INCONSISTENT:
            assert not (answer.safe & ~expected.safe).any()
            assert not (answer.mines & ~expected.mines).any()


# The mine count


GAP = [({0, i}, 1) for i in (1, 2, 3)]  # cell 0 against three others: one mine or three


@pytest.mark.parametrize(
    ("mines", "n", "status", "safe", "mined"),
    [
        (1, 4, "complete", [1, 2, 3], [0]),
        (2, 4, "inconsistent", [], []),
        (3, 4, "complete", [0], [1, 2, 3]),
        (2, 5, "complete", [1, 2, 3], [0, 4]),
        (3, 5, "complete", [0, 4], [1, 2, 3]),
        (3, 6, "complete", [], []),
        (5, 6, "complete", [0], [1, 2, 3, 4, 5]),
        (6, 6, "inconsistent", [], []),
        (None, 6, "complete", [], []),
    ],
)
def test_counts_with_a_gap(mines, n, status, safe, mined):
    answer = Sat().deduce(Problem.from_sets(GAP, n=n, mines=mines))
    assert (str(answer.status), listed(answer.safe), listed(answer.mines)) == (status, safe, mined)


def test_gaps_of_many_components():
    """Ten components of one or three mines and one of one or two: sums of both parities only with the last."""
    scopes = [({4 * k, 4 * k + i}, 1) for k in range(10) for i in (1, 2, 3)]
    odd = [({40, 41}, 1), ({40, 42}, 1)]  # one mine or two
    for mines, expected in ((11, [40]), (12, [41, 42]), (13, [40]), (31, [40])):
        problem = Problem.from_sets(scopes + odd, n=43, mines=mines)
        answer = Sat().deduce(problem)
        assert answer.status is Status.COMPLETE
        assert [c for c in listed(answer.mines) if c >= 40] == expected
    assert Sat().deduce(Problem.from_sets(scopes, n=40, mines=21)).status is Status.INCONSISTENT


def test_untouched_cells_cost_nothing():
    """The mine count is no constraint over all covered cells."""
    scopes = [({0, 1, 2}, 1), ({1, 2, 3}, 1)]
    few = Sat().deduce(Problem.from_sets(scopes, n=10, mines=4))
    many = Sat().deduce(Problem.from_sets(scopes, n=100_000, mines=20_000))
    assert few.stats["variables"] == many.stats["variables"] <= 6
    assert few.stats["calls"] == many.stats["calls"]


def test_large_components_share_no_oracle():
    chain = [({i, i + 1, i + 2}, 1) for i in range(0, 600, 2)]
    twice = chain + [({c + 700 for c in scope}, total) for scope, total in chain]
    answer = Sat().deduce(Problem.from_sets(twice, n=1400))
    assert answer.stats["oracles"] == answer.stats["components"] == 2
    small = [({3 * i, 3 * i + 1}, 1) for i in range(100)]
    answer = Sat().deduce(Problem.from_sets(small, n=300))
    assert answer.stats["components"] == 100
    assert answer.stats["oracles"] == 2


@pytest.mark.parametrize("name", STRESS)
def test_wide_and_large_positions(name):
    """Native and clausal formulas agree, on positions where one constraint over all cells takes minutes."""
    problem = problem_of(STRESS[name])
    for question in (problem, problem.local()):
        answer = Sat().deduce(question)
        assert answer.status is Status.COMPLETE
        assert answer == Sat("binomial", "minisat22").deduce(question)


# What it is made of


@settings(max_examples=150, deadline=None)
@given(problems())
def test_components_keep_the_problem(problem):
    """Settled cells and components together have the problem's models, and the bounds hold in each."""
    components = split(problem)
    models = list(all_models(problem.local()))
    if not components.consistent:
        assert not models
        return
    cells, starts = components.cells, [components.boxes[j] for j in components.components]
    scopes = [components.variables[a:b] for a, b in pairwise(components.indptr)]
    rows = list(zip(scopes, components.totals, strict=True))
    for model in models:
        mines, safe = (np.flatnonzero(components.place == kind) for kind in (MINE, SAFE))
        assert all(model[c] for c in mines)
        assert not any(model[c] for c in safe)
        assert len(mines) == components.placed
        for scope, total in rows:
            assert sum(model[cells[x - 1]] for x in scope) == total
        for i, (a, b) in enumerate(pairwise(starts)):
            assert components.least[i] <= sum(model[c] for c in cells[a:b]) <= components.most[i]
    effect = effect_of_count(components, problem.mines)
    if effect == "no model":
        assert not list(all_models(problem))
    elif effect == "none" and models:
        reference = make_solver("enumeration")
        assert reference.deduce(problem) == reference.deduce(problem.local())


def all_models(problem):
    cells = np.flatnonzero(problem.covered).tolist()
    constraints = list(problem.constraints)
    for bits in product((0, 1), repeat=len(cells)):
        model = dict(zip(cells, bits, strict=True))
        if problem.mines in (None, sum(bits)) and all(sum(model[c] for c in k.scope) == k.total for k in constraints):
            yield model


@given(st.lists(st.integers(0, 63), min_size=1, max_size=4), st.integers(-1, 20))
def test_completing(parts, target):
    for i, mask in enumerate(completing(parts, target)):
        others = [list(counts(part)) for j, part in enumerate(parts) if j != i]
        assert set(counts(mask)) == {target - sum(c) for c in product(*others) if sum(c) <= target}


@given(st.integers(0, 9), st.integers(0, 9))
def test_interval(least, most):
    assert list(counts(interval(least, most))) == list(range(least, most + 1))


class Table:
    """An oracle over listed models that refuses questions about some variables."""

    def __init__(self, models, silent=()):
        self.models = models
        self.silent = silent
        self.calls = 0

    def differ(self, literals):
        self.calls += 1
        if any(abs(x) in self.silent for x in literals):
            return None
        return next((m for m in self.models if any(m[abs(x) - 1] != x for x in literals)), False)

    def learn(self, literals):
        assert all(set(literals) <= set(model) for model in self.models)


@pytest.mark.parametrize("chunk", [0, 1, 2, 3])
def test_backbone_in_chunks(chunk):
    rng = random.Random(chunk)
    for _ in range(200):
        n = rng.randint(1, 6)
        models = [[x if rng.random() < 0.8 else -x for x in range(1, n + 1)] for _ in range(rng.randint(1, 4))]
        oracle = Table(models)
        result = backbone(oracle, list(models[0]), chunk)
        assert set(result.proved) == set(models[0]).intersection(*models)
        assert result.undecided == []
        assert oracle.calls <= n


def test_backbone_leaves_undecided_what_the_oracle_does_not_know():
    result = backbone(Table([[1, 2, 3], [1, 2, -3]], silent={2}), [1, 2, 3], chunk=1)
    assert (result.proved, result.undecided) == ([1], [2])
